import { join } from 'node:path';
import { Embedder } from '../services/codebase/embedding/embedder';
import { Codebase } from '../services/codebase/codebase';
import { LanceSearchService, lanceFolderName } from '../services/codebase/messages/lanceSearchService';
import type { Checkpoints } from '../services/checkpoint/host/checkpoints';
import type { EngineClient } from '../services/checkpoint/host/engineClient';
import type { Restores } from '../services/checkpoint/host/restores';
import type { DatabaseService } from '../services/database/databaseService';
import { WorkspacePaths } from '../services/files/workspacePaths';
import { trustedFolders } from '../services/files/workspacePorts';
import type { CorePorts } from './corePorts';

/** Sources of the word that files have changed. */
export interface IndexSources {
  restores: Pick<Restores, 'onDidFinish'>;
  checkpoints: Pick<Checkpoints, 'onDidTakeForMessage'>;
  engine: Pick<EngineClient, 'checkpoints'>;
}

/** Changes between two messages from which on all files are compared instead. */
const manyChanges = 500;

/** Builds the index of the workspace and keeps it in step with what the agent writes and what is restored. */
export function createCodebase(
  database: DatabaseService,
  { restores, checkpoints, engine }: IndexSources,
  ports: CorePorts,
): Codebase {
  const { client, models, arbiter, settings, workspace, storage, workers, clock, logger } = ports;
  const paths = new WorkspacePaths({ folders: () => trustedFolders(workspace) });
  const codebase = new Codebase({
    workerPath: workers.codebase,
    directory: join(storage.directory, 'codebase'),
    lanceFolder: join(storage.directory, lanceFolderName),
    roots: () => paths.roots(),
    config: () => ({ ...settings.getSearchConfig(), sensitive: settings.getAgentConfig().sensitiveFilePatterns }),
    embedder: new Embedder(client, models, () => settings.getSearchConfig().embeddingModel),
    ...{ arbiter, clock, logger },
  });
  const note = async (shown: readonly string[]): Promise<void> => {
    const located = await Promise.all(shown.map((path) => paths.locate(path).catch(() => null)));
    await codebase.note(located.flatMap((found) => (found === null || found.isOutside ? [] : [found.real])));
  };
  database.log.onDidChange((event) => {
    if (event.kind !== 'entry' || event.entry.type !== 'file_edit') return;
    const { path, newPath } = event.entry.data;
    void note([path, ...(newPath === undefined ? [] : [newPath])]);
  });
  restores.onDidFinish(() => void codebase.note(null));
  let last: string | null = null;
  // What the checkpoint has found by content; a watcher may have missed it, and without an editor there is none.
  checkpoints.onDidTakeForMessage((taken) => {
    const before = last;
    last = taken;
    if (before === null) return;
    engine.checkpoints
      .diff(before, taken)
      .then((changes) => codebase.note(changes.length > manyChanges ? null : changes.map(({ root, path }) => join(root, path))))
      .catch((error: unknown) => logger.debug('The search index does not know what changed since the last message', error));
  });
  return codebase;
}

/** Builds the search in the conversations by meaning, and keeps it in step with what is said and deleted in this window. */
export function createMessageSearch(database: DatabaseService, ports: CorePorts): LanceSearchService {
  const { client, models, arbiter, settings, storage, workers, clock, logger } = ports;
  const messages = new LanceSearchService({
    workerPath: workers.codebase,
    directory: storage.directory,
    isReadOnly: storage.readOnlyBecause !== null,
    isLance: () => settings.getSearchConfig().isLance,
    keyword: (request) => database.searchEntries(request),
    embedder: new Embedder(client, models, () => settings.getSearchConfig().embeddingModel),
    ...{ arbiter, clock, logger },
  });
  database.log.onDidChange((event) => {
    if (event.kind === 'entry') void messages.indexMessage(event.entry);
  });
  database.sessions.onDidDelete((sessionId) => {
    messages
      .deleteSessionEntries(sessionId)
      .catch((error: unknown) => logger.warn('Vectors of a session were not removed', error));
  });
  return messages;
}
