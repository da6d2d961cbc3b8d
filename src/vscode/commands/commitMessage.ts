import * as vscode from 'vscode';
import { cleanCommitMessage, commitRequest } from '../../agent/prompt/commitMessage';
import type { Settings } from '../../config/settings';
import type { ModelManager } from '../../services/model/catalogue/modelManager';
import { requestOptions } from '../../services/model/context/requestOptions';
import type { OllamaClient } from '../../services/model/client/ollamaClient';
import type { ContextWindows } from '../../services/model/context/contextWindows';
import { selectedModel } from '../../services/model/modelSelection';
import { isCloudModel } from '../../types/model';
import { findModel } from '../../types/modelNames';
import { AppError } from '../../utils/errors';
import { askForCloud } from '../askForCloud';
import { notifyCancellable } from '../notifyProgress';
import { gitApi } from '../workspace/gitExtension';
import { isUri } from './activeFile';

class CommitMessageError extends AppError {
  readonly code = 'commitMessage';
}

/** Part of the Git extension's API (version 1). */
interface Repository {
  readonly rootUri: vscode.Uri;
  readonly inputBox: { value: string };
  diff(cached?: boolean): Promise<string>;
  log(options: { maxEntries: number }): Promise<readonly { message: string }[]>;
}
interface Repositories {
  readonly repositories: readonly Repository[];
  getRepository(uri: vscode.Uri): Repository | null;
}

export interface CommitMessageServices {
  client: Pick<OllamaClient, 'chat'>;
  models: Pick<ModelManager, 'list'>;
  windows: Pick<ContextWindows, 'tokensFor'>;
  settings: Settings;
}

/**
 * Streams a commit message into the Source Control view. Describes the staged changes, or all changes if
 * none are staged. Stopping keeps the user's text.
 */
export async function generateCommitMessage(given: unknown, services: CommitMessageServices): Promise<void> {
  const repository = await findRepository(given);
  const { client, models, windows, settings } = services;
  const list = (await models.list()).models;
  const name = selectedModel('ask', settings, list);
  const model = name === null ? undefined : findModel(list, name);
  if (model === undefined) throw new CommitMessageError('No model', vscode.l10n.t('Select a model, then try again.'));
  if (isCloudModel(model.name) && !(await askForCloud(model.name))) return;
  const staged = await repository.diff(true);
  const diff = staged.trim() === '' ? await repository.diff(false) : staged;
  if (diff.trim() === '') throw new CommitMessageError('No change', vscode.l10n.t('There are no changes to commit.'));
  const recent = await repository.log({ maxEntries: 8 }).catch(() => []);
  const window = await windows.tokensFor(model);
  const begun = repository.inputBox.value;
  const request = commitRequest({ diff, recent: recent.map(({ message }) => message), begun, window });
  if (request === null)
    throw new CommitMessageError(
      'Secrets',
      vscode.l10n.t('All changed files may contain secrets, so nothing was sent to the model.'),
    );
  const title =
    staged.trim() === ''
      ? vscode.l10n.t('Generating a message for all changes, because none are staged')
      : vscode.l10n.t('Generating a message for the staged changes');
  await notifyCancellable(title, async (_progress, signal) => {
    const chunks = client.chat(
      {
        model: model.name,
        messages: request.messages,
        keep_alive: settings.getConfig().agent.keepAlive,
        options: { ...requestOptions(model, window), temperature: 0.2, num_predict: 400 },
        truncate: false,
        shift: false,
        ...(model.capabilities.thinking && { think: false }),
      },
      { signal },
    );
    let answer = '';
    try {
      for await (const { message } of chunks) {
        answer += message.content;
        repository.inputBox.value = cleanCommitMessage(answer);
      }
      if (cleanCommitMessage(answer) === '')
        throw new CommitMessageError('Empty', vscode.l10n.t('The model returned an empty message. Try again.'));
    } catch (error) {
      repository.inputBox.value = begun;
      if (!signal.aborted) throw error;
    }
  });
  if (request.leftOut.length > 0)
    void vscode.window.showInformationMessage(
      vscode.l10n.t('Not sent to the model because they may contain secrets: {0}', request.leftOut.join(', ')),
    );
}

/** Finds the repository of the clicked view, of the active editor, or the only repository. */
async function findRepository(given: unknown): Promise<Repository> {
  const api = await gitApi<Repositories>();
  if (api === null)
    throw new CommitMessageError(
      'No git',
      vscode.l10n.t('The Git extension of the editor is not available. Turn it on, then try again.'),
    );
  const root = typeof given === 'object' && given !== null && 'rootUri' in given ? given.rootUri : undefined;
  const active = vscode.window.activeTextEditor?.document.uri;
  const found =
    api.repositories.find(({ rootUri }) => isUri(root) && rootUri.toString() === vscode.Uri.from(root).toString()) ??
    (active && api.getRepository(active)) ??
    api.repositories[0];
  if (found === undefined) throw new CommitMessageError('No repository', vscode.l10n.t('No Git repository is open.'));
  return found;
}
