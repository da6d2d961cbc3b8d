import { join } from 'node:path';
import { Embedder } from '../services/codebase/embedding/embedder';
import { Codebase } from '../services/codebase/codebase';
import { MessageSearch, lanceFolderName } from '../services/codebase/messages/messageSearch';
import type { Checkpoints } from '../services/checkpoint/host/checkpoints';
import type { EngineClient } from '../services/checkpoint/host/engineClient';
import type { Restores } from '../services/checkpoint/host/restores';
import type { DatabaseService } from '../services/database/databaseService';
import { WorkspacePaths } from '../services/files/workspacePaths';
import { trustedFolders } from '../services/files/workspacePorts';
import type { CorePorts } from './corePorts';

export interface IndexSources {
  restores: Pick<Restores, 'onDidFinish'>;
  checkpoints: Pick<Checkpoints, 'onDidTakeForMessage'>;
  engine: Pick<EngineClient, 'checkpoints'>;
}

/** Maximum number of changes between two messages. If there are more, all files are compared. */
const manyChanges = 500;

/** Builds the workspace index and updates it after the agent's writes and after restores. */
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
    arbiter,
    clock,
    logger,
  });
  const realPaths = async (shown: readonly string[]): Promise<string[]> => {
    const located = await Promise.all(shown.map((path) => paths.locate(path).catch(() => null)));
    return located.flatMap((found) => (found === null || found.isOutside ? [] : [found.real]));
  };
  database.log.onDidChange((event) => {
    if (event.kind !== 'entry' || event.entry.type !== 'file_edit') return;
    const { path, newPath } = event.entry.data;
    void codebase.updateFiles(realPaths([path, ...(newPath === undefined ? [] : [newPath])]));
  });
  restores.onDidFinish(() => void codebase.updateFiles(null));
  let last: string | null = null;
  // Checkpoints find changes by content. A file watcher may miss changes, and there is none without an editor.
  checkpoints.onDidTakeForMessage((taken) => {
    const before = last;
    last = taken;
    if (before === null) return;
    engine.checkpoints
      .diff(before, taken)
      .then((changes) =>
        codebase.updateFiles(changes.length > manyChanges ? null : changes.map(({ root, path }) => join(root, path))),
      )
      .catch((error: unknown) => logger.debug('The search index does not know what changed since the last message', error));
  });
  return codebase;
}

/** Builds the semantic search in chats. Updates it when this window adds or deletes messages. */
export function createMessageSearch(database: DatabaseService, ports: CorePorts): MessageSearch {
  const { client, models, arbiter, settings, storage, workers, clock, logger } = ports;
  const messages = new MessageSearch({
    workerPath: workers.codebase,
    directory: storage.directory,
    isReadOnly: storage.readOnlyBecause !== null,
    isLance: () => settings.getSearchConfig().isLance,
    keyword: (request) => database.searchEntries(request),
    embedder: new Embedder(client, models, () => settings.getSearchConfig().embeddingModel),
    arbiter,
    clock,
    logger,
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
