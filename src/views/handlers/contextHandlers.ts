import * as vscode from 'vscode';
import type { AttachmentReader } from '../../agent/prompt/attachmentReader';
import type { AttachmentRef } from '../../protocol/entries';
import type { HostApi } from '../../protocol/hostApi';
import { fileItem, pickItems } from '../../vscode/editorItems';
import { insertAtCursor } from '../../vscode/insertAtCursor';

type ContextApi = Pick<HostApi, 'addContext' | 'attachFiles' | 'insertAtCursor'>;

/** Requests of the view about what goes from the editor into a message, and back. */
export function contextHandlers(attachments: Pick<AttachmentReader, 'checkAll'>): ContextApi {
  return {
    addContext: async () => attachments.checkAll(await pickItems()),
    attachFiles: async ({ uris }) => {
      const items: AttachmentRef[] = [];
      const problems: string[] = [];
      for (const text of uris) {
        const uri = uriOf(text);
        if (uri !== null && isFile(uri)) items.push(fileItem(uri));
        else problems.push(vscode.l10n.t('{0} is not a file on this machine, so it cannot be attached.', text));
      }
      const checked = await attachments.checkAll(items);
      return { items: checked.items, problems: [...problems, ...checked.problems] };
    },
    insertAtCursor: async ({ text }) => {
      await insertAtCursor(text);
      return {};
    },
  };
}

function uriOf(text: string): vscode.Uri | null {
  try {
    return vscode.Uri.parse(text);
  } catch {
    return null;
  }
}

/** Where the extension runs beside remote files, what is dropped still goes by the address that the window has for it. */
function isFile({ scheme }: vscode.Uri): boolean {
  return scheme === 'file' || scheme === 'vscode-remote';
}
