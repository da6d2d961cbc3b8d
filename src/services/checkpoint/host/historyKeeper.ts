import { createHash } from 'node:crypto';
import path from 'node:path';
import { isInside } from '../../../utils/files/isInside';
import type { Logger } from '../../../utils/logger';
import { listGit, writeCopy } from '../../git/history/gitCopy';
import type { PlainGit } from '../../git/history/gitProcess';
import { writeBundle } from '../../git/history/historyBundle';
import { hasHistory, readHistory, unfinishedCommits, type HistoryState } from '../../git/history/historyState';
import type { RestoredHistory } from '../../git/history/restoreCopy';
import { exists } from '../../../utils/files/exists';
import {
  gitEntryPath,
  repositoriesBelow,
  repositoryAbove,
  repositoryAround,
  type GitPlace,
} from '../../git/history/repositories';
import { readStaged } from '../../git/history/stagedContent';
import { findHistoryLoss } from '../../terminal/judge/historyLoss';
import type { LostPart } from '../../../protocol/toolFacts';
import type { EngineClient } from './engineClient';
import { inTemporary, plainGit, restoreHistory } from './historyRestore';

/** Maximum size of a bundle or copy, in bytes. */
const mostBytes = 50 * 1024 * 1024;
/** Limits before one command: number of repositories, number of folders to search for them, and milliseconds. */
const mostRepositories = 10;
const maxFolders = 20_000;
const maxMs = 30_000;
/** Maximum number of checkpoints whose histories are cached for a comparison. */
const mostRemembered = 50;

/** Command that is about to run. */
export interface UpcomingCommand {
  sessionId: string;
  /** Checkpoint before the command. */
  checkpointId: string;
  command: string;
  /** Absolute working folder of the command. */
  folder: string;
  /** True if the command runs in the sandbox without approval. In this case every history is saved, whatever the command does. */
  isSandboxed?: boolean;
  signal: AbortSignal;
}

export interface HistoryKeeperHost {
  /** Returns the workspace folders. Programs in them are never started, because the agent may write to these folders. */
  folders(): readonly { path: string }[];
  logger: Logger;
}

/** Repository to save for a checkpoint. */
interface Endangered {
  place: GitPlace;
  checkpointId: string;
  isSandboxed: boolean;
  /** True if the repository's data may be removed. False if only Git itself may drop commits. */
  isRemoved: boolean;
}

type CheckpointOf = Pick<UpcomingCommand, 'sessionId' | 'checkpointId'>;

/**
 * Saves Git histories that a command may delete. Makes a copy of data that may be removed, or a bundle of the commits that Git
 * may drop. Child processes only read the repository. Settings that make Git run programs are disabled.
 */
export class HistoryKeeper {
  /** Histories before sandboxed commands, by checkpoint id. */
  private readonly states = new Map<string, { place: GitPlace; state: HistoryState }[]>();

  constructor(
    private readonly engine: Pick<EngineClient, 'histories' | 'restores'>,
    private readonly host: HistoryKeeperHost,
    /** Milliseconds for copies before one command. This is less than the total limit. */
    private readonly copyMs = maxMs / 2,
  ) {}

  /** Saves the histories that the command may delete. Resolves with the folders for which this failed. Never rejects. */
  async keep({ sessionId, checkpointId, command, folder, isSandboxed = false, signal }: UpcomingCommand): Promise<string[]> {
    const unkept = new Set<string>();
    try {
      const loss = await findHistoryLoss(command, folder, process.platform === 'win32');
      if (loss.repositories.length === 0 && loss.removed.length === 0 && !isSandboxed) return [];
      const of = { sessionId, checkpointId };
      const until = AbortSignal.any([signal, AbortSignal.timeout(maxMs)]);
      const untilCopied = AbortSignal.any([until, AbortSignal.timeout(this.copyMs)]);
      const removed = await this.removedWith(loss.removed, of, untilCopied);
      const dropping = (await Promise.all(loss.repositories.map(repositoryAbove))).filter((one) => one !== null);
      const places = new Map<string, GitPlace>();
      for (const one of [...removed, ...dropping]) places.set(one.folder, one);
      for (const one of isSandboxed ? await this.repositoriesIn(folder, of) : []) places.set(one.folder, one);
      for (const one of places.keys()) unkept.add(one);
      const git = unkept.size === 0 ? null : await this.git();
      const gone = new Set(removed.map((one) => one.folder));
      for (const place of [...places.values()].slice(0, mostRepositories)) {
        const one = { place, checkpointId, isSandboxed, isRemoved: gone.has(place.folder) };
        if (await this.keepOne(git, one, { until, untilCopied })) unkept.delete(place.folder);
      }
    } catch (error) {
      this.host.logger.warn('Git histories were not kept', error);
    }
    return [...unkept];
  }

  /** Returns the repositories whose data a command on these paths may remove or overwrite. Includes ignored repositories. */
  private async removedWith(paths: readonly string[], of: CheckpointOf, signal: AbortSignal): Promise<GitPlace[]> {
    if (paths.length === 0) return [];
    const around = await Promise.all(paths.filter((one) => !one.endsWith('.lock')).map(repositoryAround));
    const below = await this.repositoriesAt(paths, signal);
    const known = ((await this.findRepositories(of)) ?? []).filter((one) =>
      paths.some((gone) => isInside(gitEntryPath(one), gone)),
    );
    const all = [...around.filter((one) => one !== null), ...known, ...below];
    const there = await Promise.all(all.map((one) => exists(gitEntryPath(one))));
    return all.filter((_, index) => there[index]);
  }

  /** Finds repositories at these paths. Inside the workspace, also searches below the paths. */
  private async repositoriesAt(paths: readonly string[], signal: AbortSignal): Promise<GitPlace[]> {
    const roots = this.host.folders().map((root) => root.path);
    const inside = [
      ...paths.filter((one) => roots.some((root) => isInside(one, root))),
      ...roots.filter((root) => paths.some((one) => isInside(root, one))),
    ];
    const outside = paths.filter((one) => !inside.includes(one));
    return [
      ...(await repositoriesBelow([...new Set(inside)], { maxFolders, signal })),
      ...(await repositoriesBelow(outside, { maxFolders: outside.length, signal })),
    ];
  }

  /** Returns the repositories that a sandboxed command can write to. These are the repositories in the workspace. */
  private async repositoriesIn(folder: string, of: CheckpointOf): Promise<GitPlace[]> {
    const roots = this.host.folders().map((root) => root.path);
    const above = await repositoryAbove(folder);
    const own = above !== null && roots.some((root) => isInside(above.folder, root)) ? [above] : [];
    return [...own, ...((await this.findRepositories(of)) ?? [])];
  }

  /** Returns the repositories of a checkpoint. Returns null if the checkpoint cannot be read. */
  private async findRepositories(of: CheckpointOf): Promise<GitPlace[] | null> {
    const target = { kind: 'checkpoint', id: of.checkpointId } as const;
    try {
      const { histories } = await this.engine.restores.uncovered(of.sessionId, target, 0);
      const there = histories.filter(({ isGone }) => !isGone);
      return there.map(({ root, path: inside }) => ({ folder: path.join(root, inside), isBare: false }));
    } catch (error) {
      this.host.logger.warn('The Git histories of a checkpoint are not known', error);
      return null;
    }
  }

  /** Saves one history with the first strategy that succeeds. Never rejects. */
  private async keepOne(
    git: PlainGit | null,
    one: Endangered,
    { until, untilCopied }: { until: AbortSignal; untilCopied: AbortSignal },
  ): Promise<boolean> {
    const known = one.isSandboxed && git !== null ? await this.remember(git, one, until) : null;
    const bundle = (part: LostPart | undefined) => async () =>
      git !== null && this.keepBundle(git, { ...one, state: known ?? (await readHistory(git, one.place, until)) }, part, until);
    const copies = [() => this.keepCopy(one, undefined, untilCopied), () => this.keepCopy(one, 'lfs', untilCopied)];
    const isPart = one.isRemoved || one.isSandboxed;
    const tries = [...(one.isRemoved ? copies : []), bundle(isPart ? 'published' : undefined), bundle('staged')];
    for (const attempt of tries) {
      try {
        if (await attempt()) return true;
      } catch (error) {
        this.host.logger.warn(`The Git history in ${one.place.folder} was not kept`, error);
      }
    }
    return false;
  }

  /** Saves the data of a repository. With `lfs`, skips the files of Git LFS. */
  private async keepCopy({ place, checkpointId }: Endangered, part: 'lfs' | undefined, signal: AbortSignal): Promise<boolean> {
    const entry = gitEntryPath(place);
    const without = part === undefined ? undefined : /^lfs\/objects(\/|$)/;
    const listing = await listGit(entry, { mostBytes, without, signal });
    const facts = { entry: place.isBare ? '' : '.git', ...(part && { part }) };
    const history = { folder: place.folder, checkpointId, isWhole: part === undefined, key: listing.key, facts };
    if (await this.engine.histories.keepAgain(history)) return true;
    return inTemporary(async (temporary) => {
      const file = path.join(temporary, 'history.copy');
      await writeCopy(entry, listing, file, signal);
      const after = await listGit(entry, { mostBytes, without, signal });
      if (after.key !== listing.key) throw new Error(`${entry} changed while it was copied`);
      await this.engine.histories.keep(history, file);
      return true;
    });
  }

  /** Saves the commits that no remote has. Includes the index unless `part` is `staged`. */
  private async keepBundle(
    git: PlainGit,
    { place, checkpointId, state }: Endangered & { state: HistoryState },
    part: LostPart | undefined,
    signal: AbortSignal,
  ): Promise<boolean> {
    const hasIndex = part !== 'staged' && (await exists(path.join(state.directory, 'index')));
    const staged = hasIndex ? await readStaged(git, place, signal) : null;
    const others = await unfinishedCommits(git, place, state, signal);
    const { head, config, objectFormat } = state;
    const facts = { head, config, objectFormat, ...(place.isBare && { isBare: true }), ...(part && { part }) };
    const key = createHash('sha256')
      .update(JSON.stringify([state.refs, others, head, staged, part]))
      .digest('hex');
    const history = { folder: place.folder, checkpointId, isWhole: false, key, facts };
    if (await this.engine.histories.keepAgain(history)) return true;
    return inTemporary(async (temporary) => {
      const file = path.join(temporary, 'history.bundle');
      const to = { folder: path.join(temporary, 'through'), file, mostBytes };
      if (await writeBundle(git, { state, others, staged }, to, signal)) await this.engine.histories.keep(history, file);
      return true;
    });
  }

  /** Restores a history of this session. See `restoreHistory`. */
  restore(sessionId: string, id: number): Promise<RestoredHistory> {
    return restoreHistory(this.engine, this.host, { sessionId, id });
  }

  /** Returns the folders of sandboxed commands whose histories have lost nothing since the checkpoint. Never rejects. */
  async intactSince(checkpointId: string): Promise<string[]> {
    const states = this.states.get(checkpointId) ?? [];
    const git = states.length === 0 ? null : await this.git();
    if (git === null) return [];
    const isIntact = ({ place, state }: (typeof states)[number]) =>
      hasHistory(git, place, state, AbortSignal.timeout(maxMs)).catch((error: unknown) => {
        this.host.logger.warn(`The Git history in ${place.folder} cannot be compared`, error);
        return false;
      });
    const intact = await Promise.all(states.map(isIntact));
    return states.filter((_, index) => intact[index]).map(({ place }) => place.folder);
  }

  /** Caches a history for `intactSince` and returns it. Returns null if Git cannot read it. */
  private async remember(git: PlainGit, { place, checkpointId }: Endangered, signal: AbortSignal): Promise<HistoryState | null> {
    const state = await readHistory(git, place, signal).catch(() => null);
    if (state === null) return null;
    const others = (this.states.get(checkpointId) ?? []).filter((one) => one.place.folder !== place.folder);
    this.states.delete(checkpointId);
    this.states.set(checkpointId, [...others, { place, state }]);
    for (const oldest of [...this.states.keys()].slice(0, -mostRemembered)) this.states.delete(oldest);
    return state;
  }

  private git(): Promise<PlainGit | null> {
    return plainGit(this.host.folders());
  }
}
