import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { FileError } from '../../services/files/fileError';
import type { OpenDocument, OpenFiles } from '../../services/files/workspacePorts';
import { diffLines } from '../../utils/text/lineDiff';
import { splitLines } from '../../utils/text/unifiedDiff';
import { plainLineEnds } from '../../utils/text/textFile';
import { phrase, t, type Phrase } from '../../utils/l10n';
import { systemClock } from '../../utils/clock';
import { saveDocument } from './saveDocument';

/** Reads and edits open documents, visible or not. Also knows other editors with unsaved changes. */
export class EditorFiles implements OpenFiles {
  get(path: string): OpenDocument | undefined {
    const document = documentOf(path);
    return document && new EditorDocument(document);
  }

  isHeld(path: string): boolean {
    return vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .some(({ isDirty, input }) => isDirty && isForeign(input) && isAt(input.uri, path));
  }

  async rename(from: string, to: string): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(uriOf(from), vscode.Uri.file(to), { overwrite: false });
    if (!(await vscode.workspace.applyEdit(edit))) throw new FileError('notSaved', phrase('The editor did not rename the file.'));
  }
}

class EditorDocument implements OpenDocument {
  readonly text: string;
  readonly isDirty: boolean;
  readonly encoding: string;

  constructor(private readonly document: vscode.TextDocument) {
    this.text = document.getText();
    this.isDirty = document.isDirty;
    this.encoding = document.encoding;
  }

  async bytes(): Promise<Buffer> {
    return Buffer.from(await vscode.workspace.encode(this.text, { encoding: this.encoding }));
  }

  async lacking(text: string): Promise<string | undefined> {
    const { encoding } = this;
    if (/^utf/i.test(encoding)) return undefined;
    const stored = await vscode.workspace.decode(await vscode.workspace.encode(text, { encoding }), { encoding });
    if (stored === text) return undefined;
    let at = 0;
    while (text[at] === stored[at]) at += 1;
    return String.fromCodePoint(text.codePointAt(at) ?? 0xfffd);
  }

  async replace(text: string): Promise<boolean> {
    const { document } = this;
    if (document.isClosed || document.getText() !== this.text) return false;
    if (!(await put(document, text))) return false;
    if (await saveDocument(document, (saved) => this.isOnDisk(saved), systemClock)) return true;
    // The user may type during the save; that text is the user's.
    if (plainLineEnds(document.getText()) !== plainLineEnds(text)) throw new FileError('notSaved', unsaved());
    await put(document, this.text);
    throw new FileError('notSaved', reverted());
  }

  private async isOnDisk(text: string): Promise<boolean> {
    const { encoding, uri } = this.document;
    const bytes = Buffer.from(await vscode.workspace.encode(text, { encoding }));
    return bytes.equals(await readFile(uri.fsPath).catch(() => Buffer.alloc(0)));
  }
}

function reverted(): Phrase {
  return {
    local: t(
      'Could not save the file, so the edit was reverted. The file may have changed on disk. Save or revert it in its editor, then try again.',
    ),
    english:
      'Could not save the file, so the edit was reverted. The file may have changed on disk: ask the user to save or revert it in its editor.',
  };
}

function unsaved(): Phrase {
  return {
    local: t(
      'Could not save the file. Its editor contains the edit and everything typed since then. Save the file, then try again.',
    ),
    english: 'Could not save the file. Its editor holds the edit and what the user has typed since: ask the user to save it.',
  };
}

/** Replaces only the lines that differ, so that cursors, folds and marks stay in place. */
async function put(document: vscode.TextDocument, text: string): Promise<boolean> {
  const [before, after] = [document.getText(), text].map((one) => splitLines(plainLineEnds(one)));
  const edit = new vscode.WorkspaceEdit();
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of diffLines(before ?? [], after ?? [])) {
    const range = document.validateRange(new vscode.Range(beforeStart, 0, beforeEnd, 0));
    edit.replace(document.uri, range, (after ?? []).slice(afterStart, afterEnd).join(''));
  }
  return edit.size === 0 || vscode.workspace.applyEdit(edit);
}

/** Returns the URI of the open document of a real path, which may be a link to it. */
export function uriOf(path: string): vscode.Uri {
  return documentOf(path)?.uri ?? vscode.Uri.file(path);
}

function documentOf(path: string): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(({ uri, isClosed }) => !isClosed && isAt(uri, path));
}

/** Returns true for tabs of notebooks and custom editors, which have no text document. */
function isForeign(input: unknown): input is vscode.TabInputCustom | vscode.TabInputNotebook {
  return input instanceof vscode.TabInputCustom || input instanceof vscode.TabInputNotebook;
}

function isAt({ scheme, fsPath }: vscode.Uri, path: string): boolean {
  if (scheme !== 'file') return false;
  if (fsPath === path) return true;
  try {
    return realpathSync.native(fsPath) === path;
  } catch {
    return false;
  }
}
