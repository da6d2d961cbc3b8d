import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { AppError } from '../../../utils/errors';
import { t } from '../../../utils/l10n';
import type { Logger } from '../../../utils/logger';
import { checkRepository, DamagedHistory, UncheckedHistory } from '../../git/history/checkRepository';
import type { PlainGit } from '../../git/history/gitProcess';
import { readBundle } from '../../git/history/historyBundle';
import { gitEntryPath } from '../../git/history/repositories';
import { OwnerMissing, restoreCopy, type RestoredHistory } from '../../git/history/restoreCopy';
import { gitOverrides, locateProgram, readOnlyEnvironment } from '../../terminal/judge/plainProgram';
import type { HistoryFacts, KeptHistory } from '../engine/keptHistories';
import type { EngineClient } from './engineClient';

/** Time limit of a restore, in milliseconds. */
const maxMs = 300_000;

class HistoryError extends AppError {
  readonly code = 'history';
}

/**
 * Restores a history of a session and checks it with `git fsck`. In an existing repository,
 * adds a bundle as references below `refs/ollama-copilot/`. If the repository is missing,
 * restores the whole repository. For copies, see `restoreCopy`. Throws `AppError`.
 */
export async function restoreHistory(
  engine: Pick<EngineClient, 'histories'>,
  host: { folders(): readonly { path: string }[]; logger: Logger },
  { sessionId, id }: { sessionId: string; id: number },
): Promise<RestoredHistory> {
  const git = await plainGit(host.folders());
  if (git === null) throw new HistoryError('No git', t('Git was not found. Install Git, then try again.'));
  return inTemporary(async (temporary) => {
    const file = path.join(temporary, 'history');
    const kept = await engine.histories.write(sessionId, id, file);
    try {
      return await restoreFile(git, kept, file);
    } catch (error) {
      host.logger.error('A Git history was not brought back', error);
      throw new HistoryError('git failed', messageFor(error));
    }
  });
}

async function restoreFile(git: PlainGit, kept: KeptHistory & { facts: HistoryFacts }, file: string): Promise<RestoredHistory> {
  const { id, folder, facts } = kept;
  const name = `kept-${id}`;
  const signal = AbortSignal.timeout(maxMs);
  if ('entry' in facts) return restoreCopy(git, { folder, isBare: facts.entry === '' }, { file, name }, signal);
  const place = { folder, isBare: facts.isBare === true };
  await mkdir(folder, { recursive: true });
  const isNew = await readBundle(git, place, { file, name, ...facts }, signal);
  await checkRepository(git, gitEntryPath(place), signal);
  return { place: isNew ? null : `refs/ollama-copilot/${name}/`, previous: null };
}

function messageFor(error: unknown): string {
  if (error instanceof OwnerMissing)
    return t('This folder belongs to the repository in {0}, which is missing. Restore its Git history first.', error.folder);
  if (error instanceof DamagedHistory)
    return t('The Git history was restored, but “git fsck” finds damage in the repository. See the log for details.');
  if (error instanceof UncheckedHistory)
    return t('The Git history was restored, but “git fsck” did not finish in time. Run it to check the repository.');
  return t(
    'Git could not restore the history. If the repository was cloned from a server, clone it again first, then retry. See the log for details.',
  );
}

export async function plainGit(folders: readonly { path: string }[]): Promise<PlainGit | null> {
  const writable = folders.map((folder) => folder.path);
  const git = await locateProgram('git', writable);
  return git === null ? null : { git, overrules: gitOverrides(), env: readOnlyEnvironment() };
}

/** Runs `work` with a temporary folder and deletes the folder afterwards. */
export async function inTemporary<T>(work: (folder: string) => Promise<T>): Promise<T> {
  const folder = await mkdtemp(path.join(tmpdir(), 'ollama-copilot-history-'));
  try {
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true }).catch(() => undefined);
  }
}
