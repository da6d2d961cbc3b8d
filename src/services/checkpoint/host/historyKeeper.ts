import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AppError } from '../../../utils/errors';
import { isInside } from '../../../utils/files/isInside';
import { t } from '../../../utils/l10n';
import type { Logger } from '../../../utils/logger';
import { hasHistory, readBundle, readHistory, writeBundle, type HistoryState, type PlainGit } from '../../git/historyBundle';
import { historyLossOf } from '../../terminal/judge/historyLoss';
import { gitOverrides, locateProgram, readOnlyEnvironment } from '../../terminal/judge/plainProgram';
import type { EngineClient } from './engineClient';

/** Largest bundle, in bytes. */
const mostBytes = 50 * 1024 * 1024;
/** Limits before one command: repositories, and milliseconds. */
const mostRepositories = 10;
const maxMs = 30_000;
/** Checkpoints whose histories are remembered for a comparison. */
const mostRemembered = 50;

/** A command that is about to run. */
export interface UpcomingCommand {
  sessionId: string;
  /** Checkpoint before the command. */
  checkpointId: string;
  command: string;
  /** Absolute working folder of the command. */
  folder: string;
  /** True if it runs in the sandbox without a question: then every history is kept, whatever the command says. */
  isSandboxed?: boolean;
  signal: AbortSignal;
}

export interface HistoryKeeperHost {
  /** Returns the workspace folders. The agent may write to them, so no program is started from there. */
  folders(): readonly { path: string }[];
  logger: Logger;
}

class HistoryError extends AppError {
  readonly code = 'history';
}

/**
 * Keeps Git histories that a command may delete, and restores them on demand. Child processes only read the repository, with settings
 * disabled through which Git would run programs.
 */
export class HistoryKeeper {
  /** Histories before sandboxed commands, by checkpoint. */
  private readonly states = new Map<string, { folder: string; state: HistoryState }[]>();

  constructor(
    private readonly engine: Pick<EngineClient, 'histories' | 'restores'>,
    private readonly host: HistoryKeeperHost,
    /** Milliseconds before one command for bundles that include what remotes have too. Less than the total limit. */
    private readonly wholeMs = maxMs / 2,
  ) {}

  /** Keeps what the command may delete. Resolves with the folders whose history could not be kept. Never rejects. */
  async keep({ sessionId, checkpointId, command, folder, isSandboxed = false, signal }: UpcomingCommand): Promise<string[]> {
    const unkept = new Set<string>();
    try {
      const loss = await historyLossOf(command, folder, process.platform === 'win32');
      if (loss.repositories.length === 0 && loss.removed.length === 0 && !isSandboxed) return [];
      const of = { sessionId, checkpointId };
      const removed = await this.repositoriesDeletedWith(loss.removed, of);
      for (const one of [...removed, ...(await repositoriesAbove(loss.repositories))]) unkept.add(one);
      for (const one of isSandboxed ? await this.repositoriesIn(folder, of) : []) unkept.add(one);
      const git = unkept.size === 0 ? null : await this.git();
      if (git === null) return [...unkept];
      const until = AbortSignal.any([signal, AbortSignal.timeout(maxMs)]);
      const untilWhole = AbortSignal.any([until, AbortSignal.timeout(this.wholeMs)]);
      for (const one of [...unkept].slice(0, mostRepositories)) {
        const tries = [
          ...(removed.includes(one) ? [{ isWhole: true, signal: untilWhole }] : []),
          { isWhole: false, signal: until },
        ];
        if (await this.keepOne(git, { folder: one, checkpointId, isSandboxed }, tries)) unkept.delete(one);
      }
    } catch (error) {
      this.host.logger.warn('Git histories were not kept', error);
    }
    return [...unkept];
  }

  /**
   * Restores a history of this session: below `refs/ollama-copilot/` of the repository, or as a new repository. Resolves with the prefix of
   * the restored references; null for a new repository. Throws `AppError`.
   */
  async restore(sessionId: string, id: number): Promise<string | null> {
    const git = await this.git();
    if (git === null) throw new HistoryError('No git', t('Git was not found. Install Git, then try again.'));
    return inTemporary(async (temporary) => {
      const file = path.join(temporary, 'history.bundle');
      const { folder, head, config, objectFormat } = await this.engine.histories.write(sessionId, id, file);
      const name = `kept-${id}`;
      try {
        await mkdir(folder, { recursive: true });
        const isNew = await readBundle(git, folder, { file, name, head, config, objectFormat }, AbortSignal.timeout(maxMs));
        return isNew ? null : `refs/ollama-copilot/${name}/`;
      } catch (error) {
        this.host.logger.error('A Git history was not brought back', error);
        const text = t(
          'Git could not restore the history. If the repository was cloned from a server, clone it again first, then retry. See the log for details.',
        );
        throw new HistoryError('git failed', text);
      }
    });
  }

  /**
   * Returns the repositories of a checkpoint that deleting these paths would delete. If the checkpoint cannot be read, returns the
   * repositories that contain the paths.
   */
  private async repositoriesDeletedWith(
    paths: readonly string[],
    of: { sessionId: string; checkpointId: string },
  ): Promise<string[]> {
    const there = (await this.repositoriesOf(of)) ?? (await repositoriesAbove(paths));
    return there.filter((one) => paths.some((gone) => isInside(path.join(one, '.git'), gone)));
  }

  /** Returns the repositories that a sandboxed command can write: those in the workspace. */
  private async repositoriesIn(folder: string, of: { sessionId: string; checkpointId: string }): Promise<string[]> {
    const roots = this.host.folders().map((root) => root.path);
    const above = (await repositoriesAbove([folder])).filter((one) => roots.some((root) => isInside(one, root)));
    return [...above, ...((await this.repositoriesOf(of)) ?? [])];
  }

  /** Returns the repositories of a checkpoint; null if it cannot be read. */
  private async repositoriesOf(of: { sessionId: string; checkpointId: string }): Promise<string[] | null> {
    const target = { kind: 'checkpoint', id: of.checkpointId } as const;
    try {
      const { histories } = await this.engine.restores.uncovered(of.sessionId, target, 0);
      return histories.filter(({ isGone }) => !isGone).map(({ root, path: inside }) => path.join(root, inside));
    } catch (error) {
      this.host.logger.warn('The Git histories of a checkpoint are not known', error);
      return null;
    }
  }

  /** Keeps one history with the first strategy that succeeds. A whole history includes what remotes have too. Never rejects. */
  private async keepOne(
    git: PlainGit,
    { isSandboxed, ...place }: { folder: string; checkpointId: string; isSandboxed: boolean },
    tries: readonly { isWhole: boolean; signal: AbortSignal }[],
  ): Promise<boolean> {
    for (const { isWhole, signal } of tries) {
      try {
        const state = await readHistory(git, place.folder, signal);
        if (isSandboxed) this.remember(place, state);
        const { head, config, objectFormat } = state;
        const history = { ...place, isWhole, key: keyOf(state), facts: { head, config, objectFormat } };
        if (await this.engine.histories.keepAgain(history)) return true;
        return await inTemporary(async (temporary) => {
          const file = path.join(temporary, 'history.bundle');
          const to = { folder: path.join(temporary, 'through'), file, isWhole, mostBytes };
          if (await writeBundle(git, state, to, signal)) await this.engine.histories.keep(history, file);
          return true;
        });
      } catch (error) {
        this.host.logger.warn(`The Git history in ${place.folder} was not kept`, error);
      }
    }
    return false;
  }

  /** Returns the folders of sandboxed commands whose histories have lost nothing since the checkpoint. Never rejects. */
  async intactSince(checkpointId: string): Promise<string[]> {
    const states = this.states.get(checkpointId) ?? [];
    const git = states.length === 0 ? null : await this.git();
    if (git === null) return [];
    const isIntact = ({ folder, state }: (typeof states)[number]) =>
      hasHistory(git, folder, state, AbortSignal.timeout(maxMs)).catch((error: unknown) => {
        this.host.logger.warn(`The Git history in ${folder} cannot be compared`, error);
        return false;
      });
    const intact = await Promise.all(states.map(isIntact));
    return states.filter((_, index) => intact[index]).map(({ folder }) => folder);
  }

  private remember({ folder, checkpointId }: { folder: string; checkpointId: string }, state: HistoryState): void {
    const others = (this.states.get(checkpointId) ?? []).filter((one) => one.folder !== folder);
    this.states.delete(checkpointId);
    this.states.set(checkpointId, [...others, { folder, state }]);
    for (const oldest of [...this.states.keys()].slice(0, -mostRemembered)) this.states.delete(oldest);
  }

  private async git(): Promise<PlainGit | null> {
    const git = await locateProgram(
      'git',
      this.host.folders().map((folder) => folder.path),
    );
    return git === null ? null : { git, overrules: gitOverrides(), env: readOnlyEnvironment() };
  }
}

async function repositoriesAbove(folders: readonly string[]): Promise<string[]> {
  const found = await Promise.all(folders.map((folder) => repositoryAbove(folder)));
  return [...new Set(found.filter((one) => one !== null))];
}

/** Returns the nearest folder from `folder` up that has a `.git`; null if there is none. */
async function repositoryAbove(folder: string): Promise<string | null> {
  for (let at = folder; ; at = path.dirname(at)) {
    const isThere = await stat(path.join(at, '.git')).then(
      () => true,
      () => false,
    );
    if (isThere) return at;
    if (path.dirname(at) === at) return null;
  }
}

function keyOf({ refs, head }: HistoryState): string {
  return createHash('sha256')
    .update(JSON.stringify([refs, head]))
    .digest('hex');
}

async function inTemporary<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ollama-copilot-history-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}
