import { isAbsolute } from 'node:path';
import * as vscode from 'vscode';
import type { HostApi } from '../../protocol/hostApi';
import { AppError, messageOf } from '../../utils/errors';
import type { Logger } from '../../utils/logger';
import { workspaceUri } from '../../vscode/workspace/editorWorkspace';

type EditorApi = Pick<HostApi, 'openFile' | 'openLink' | 'runCommand' | 'reportViewError'>;

class CannotOpenError extends AppError {
  readonly code = 'cannotOpen';
}

/** A file that was attached from outside the workspace, if the person does want to open it; null if not. */
async function fileOutside(path: string): Promise<vscode.Uri | null> {
  const uri = vscode.Uri.file(path);
  if (vscode.workspace.getWorkspaceFolder(uri)) return uri;
  const open = vscode.l10n.t('Open');
  const detail = vscode.l10n.t('It is outside the workspace.');
  return (await vscode.window.showInformationMessage(vscode.l10n.t('Open {0}?', path), { modal: true, detail }, open)) === open
    ? uri
    : null;
}

/** The address as a browser reads it, so that what is shown is what is opened: `https://good\@evil` leads to `https://good/@evil`. */
function webLink(url: string): string {
  if (!URL.canParse(url)) throw new CannotOpenError('Not a link', vscode.l10n.t('This is not a link that can be opened.'));
  const { protocol, href } = new URL(url);
  if (protocol === 'http:' || protocol === 'https:') return href;
  throw new CannotOpenError(`Refused to open a ${protocol} link`, vscode.l10n.t('Only web links can be opened.'));
}

/** What the editor itself has a command for. */
const editorCommands: Readonly<Record<string, string>> = {
  openFolder: 'workbench.action.files.openFolder',
  manageTrust: 'workbench.trust.manage',
};

/** Requests of the view that act in the editor around it. */
export function editorHandlers(logger: Logger): EditorApi {
  return {
    openFile: async ({ path, startLine, endLine }) => {
      const uri = isAbsolute(path) ? await fileOutside(path) : workspaceUri(path);
      if (uri === null) return {};
      if (!uri) throw new CannotOpenError(`Outside the workspace: ${path}`, vscode.l10n.t('{0} is not in this workspace.', path));
      const selection =
        startLine === undefined
          ? undefined
          : new vscode.Range(startLine - 1, 0, (endLine ?? startLine) - 1, Number.MAX_SAFE_INTEGER);
      try {
        await vscode.window.showTextDocument(uri, { preview: true, ...(selection ? { selection } : {}) });
      } catch (error) {
        throw new CannotOpenError(messageOf(error), vscode.l10n.t('{0} could not be opened. It may have been moved.', path), {
          cause: error,
        });
      }
      return {};
    },
    openLink: async ({ url }) => {
      const link = webLink(url);
      const open = vscode.l10n.t('Open');
      const detail = vscode.l10n.t('The link is part of a message. Opening it tells that site that you did.');
      if ((await vscode.window.showInformationMessage(link, { modal: true, detail }, open)) === open) {
        await vscode.env.openExternal(vscode.Uri.parse(link, true));
      }
      return {};
    },
    runCommand: async ({ command }) => {
      await vscode.commands.executeCommand(editorCommands[command] ?? `ollamaCopilot.${command}`);
      return {};
    },
    reportViewError: async ({ message, stack }) => {
      logger.error(`In the view: ${message}`, stack ?? '');
      return Promise.resolve({});
    },
  };
}
