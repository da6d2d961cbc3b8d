import * as vscode from 'vscode';
import { pendingFiles } from '../../services/database/sessions/pendingFiles';
import { isInside } from '../../utils/files/isInside';
import type { Contribution, WindowServices } from '../contribution';

/** Shows pending changes in the folders of the window from the start. Loads nothing if there are none. */
export const reviewContribution: Contribution = {
  name: 'review',
  start(services) {
    const begin = () =>
      beginReview(services).catch((error: unknown) =>
        services.logger.error('What waits for an answer could not be shown in the editor', error),
      );
    return services.storage.onDidChange(({ state }) => {
      if (state === 'open') void begin();
    });
  },
};

async function beginReview({ storage, chat }: WindowServices): Promise<void> {
  const opened = storage.current;
  if (opened === undefined) return;
  const folders = (vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.fsPath);
  const waiting = await pendingFiles(opened.connection);
  if (waiting.some(({ path }) => folders.some((folder) => isInside(path, folder)))) await (await chat()).stored();
}
