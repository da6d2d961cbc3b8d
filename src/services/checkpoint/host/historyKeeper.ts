import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AppError } from '../../../utils/errors';
import { isInside } from '../../../utils/isInside';
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
  ) {}

  /** Keeps what the command may delete; resolves with the folders whose history could not be kept. Never rejects. */
  async keep({ sessionId, checkpointId, command, folder, signal }: ComingCommand): Promise<string[]> {
    const lost: string[] = [];
    try {
      const loss = await historyLossOf(command, folder, process.platform === 'win32');
      if (loss.repositories.length === 0 && loss.removed.length === 0) return [];
      const target = { kind: 'checkpoint', id: checkpointId } as const;
      const { histories } = await this.engine.restores.uncovered(sessionId, target, 0);
      const there = histories.filter(({ isGone }) => !isGone).map(({ root, path: inside }) => path.join(root, inside));
      const removed = there.filter((one) => loss.removed.some((gone) => isInside(path.join(one, '.git'), gone)));
      const touched = await Promise.all(loss.repositories.map((one) => repositoryAbove(one)));
      const all = [...new Set([...removed, ...touched.filter((one) => one !== null)])];
      const git = all.length === 0 ? null : await this.git();
      const until = AbortSignal.any([signal, AbortSignal.timeout(maxMs)]);
      for (const [at, one] of all.entries()) {
        const isKept =
          git !== null &&
          at < mostRepositories &&
          (await this.keepOne(git, { folder: one, checkpointId }, removed.includes(one), until));
        if (!isKept) lost.push(one);
      }
    } catch (error) {
      this.host.logger.warn('Git histories were not kept', error);
    }
    return lost;
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

  /** Keeps one history, with what remotes have if the repository may go; where that is too much, without. Never rejects. */
  private async keepOne(
    git: PlainGit,
    place: { folder: string; checkpointId: string },
    mayGo: boolean,
    signal: AbortSignal,
  ): Promise<boolean> {
    for (const isWhole of mayGo ? [true, false] : [false]) {
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
