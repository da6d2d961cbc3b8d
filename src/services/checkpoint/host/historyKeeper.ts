import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AppError } from '../../../utils/errors';
import { isInside } from '../../../utils/files/isInside';
import { t } from '../../../utils/l10n';
import type { Logger } from '../../../utils/logger';
import { readBundle, readHistory, writeBundle, type HistoryState, type PlainGit } from '../../git/historyBundle';
import { historyLossOf } from '../../terminal/judge/historyLoss';
import { gitOverrules, locateProgram, readingEnvironment } from '../../terminal/judge/plainProgram';
import type { EngineClient } from './engineClient';

/** Largest bundle, in bytes. */
const mostBytes = 50 * 1024 * 1024;
/** Repositories that are kept before one command, and how long that may take in milliseconds. */
const mostRepositories = 10;
const maxMs = 30_000;

/** A command that is about to run. */
export interface ComingCommand {
  sessionId: string;
  /** The checkpoint before it. */
  checkpointId: string;
  command: string;
  /** Folder that it runs in, absolute. */
  folder: string;
  signal: AbortSignal;
}

export interface HistoryKeeperHost {
  /** Workspace folders; the agent may write to them, so no program is taken from there. */
  folders(): readonly { path: string }[];
  logger: Logger;
}

class HistoryError extends AppError {
  readonly code = 'history';
}

/**
 * Keeps Git histories that a command may delete, and brings them back on demand. A repository is only read for keeping, in child processes, with
 * settings overruled by which git would run programs.
 */
export class HistoryKeeper {
  constructor(
    private readonly engine: Pick<EngineClient, 'histories' | 'restores'>,
    private readonly host: HistoryKeeperHost,
    /** Milliseconds for bundles with what remotes have too, before one command: less than all may take. */
    private readonly wholeMs = maxMs / 2,
  ) {}

  /** Keeps what the command may delete; resolves with the folders whose history could not be kept. Never rejects. */
  async keep({ sessionId, checkpointId, command, folder, signal }: ComingCommand): Promise<string[]> {
    const unkept = new Set<string>();
    try {
      const loss = await historyLossOf(command, folder, process.platform === 'win32');
      if (loss.repositories.length === 0 && loss.removed.length === 0) return [];
      const removed = await this.removedBy(loss.removed, { sessionId, checkpointId });
      for (const one of [...removed, ...(await repositoriesAbove(loss.repositories))]) unkept.add(one);
      const git = unkept.size === 0 ? null : await this.git();
      if (git === null) return [...unkept];
      const until = AbortSignal.any([signal, AbortSignal.timeout(maxMs)]);
      const untilWhole = AbortSignal.any([until, AbortSignal.timeout(this.wholeMs)]);
      for (const one of [...unkept].slice(0, mostRepositories)) {
        const tries = [
          ...(removed.includes(one) ? [{ isWhole: true, signal: untilWhole }] : []),
          { isWhole: false, signal: until },
        ];
        if (await this.keepOne(git, { folder: one, checkpointId }, tries)) unkept.delete(one);
      }
    } catch (error) {
      this.host.logger.warn('Git histories were not kept', error);
    }
    return [...unkept];
  }

  /**
   * Brings a history back that was kept in this session: below `refs/ollama-copilot/` of the repository, or as a repository where there is none. Resolves with the name that the
   * references have there; null if the repository was made anew. Throws `AppError`.
   */
  async bringBack(sessionId: string, id: number): Promise<string | null> {
    const git = await this.git();
    if (git === null) throw new HistoryError('No git', t('Git was not found. Install it, then try again.'));
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
          'Git could not restore the history. If it was cloned from a server, clone it there again first, then try again. The log has the details.',
        );
        throw new HistoryError('git failed', text);
      }
    });
  }

  /** Returns the repositories of a checkpoint that go with these paths; where that cannot be read, those that the paths themselves are in. */
  private async removedBy(paths: readonly string[], of: { sessionId: string; checkpointId: string }): Promise<string[]> {
    const target = { kind: 'checkpoint', id: of.checkpointId } as const;
    const there = await this.engine.restores.uncovered(of.sessionId, target, 0).then(
      ({ histories }) => histories.filter(({ isGone }) => !isGone).map(({ root, path: inside }) => path.join(root, inside)),
      (error: unknown) => {
        this.host.logger.warn('The Git histories of a checkpoint are not known', error);
        return repositoriesAbove(paths);
      },
    );
    return there.filter((one) => paths.some((gone) => isInside(path.join(one, '.git'), gone)));
  }

  /** Keeps one history, in the first way that succeeds: a whole one has what remotes have too. Never rejects. */
  private async keepOne(
    git: PlainGit,
    place: { folder: string; checkpointId: string },
    tries: readonly { isWhole: boolean; signal: AbortSignal }[],
  ): Promise<boolean> {
    for (const { isWhole, signal } of tries) {
      try {
        const state = await readHistory(git, place.folder, signal);
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

  private async git(): Promise<PlainGit | null> {
    const git = await locateProgram(
      'git',
      this.host.folders().map((folder) => folder.path),
    );
    return git === null ? null : { git, overrules: gitOverrules(), env: readingEnvironment() };
  }
}

async function repositoriesAbove(folders: readonly string[]): Promise<string[]> {
  const found = await Promise.all(folders.map((folder) => repositoryAbove(folder)));
  return [...new Set(found.filter((one) => one !== null))];
}

/** Returns the nearest folder from `folder` up that has a `.git`; null if none has. */
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
