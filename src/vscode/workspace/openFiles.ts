import { realpathSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import * as vscode from 'vscode';
import { FileError } from '../../services/files/fileError';
import type { OpenDocument, OpenFiles, ReplacedText, TextEdit } from '../../services/files/workspacePorts';
import { diffLines } from '../../utils/text/lineDiff';
import { splitLines } from '../../utils/text/unifiedDiff';
import { plainLineEnds } from '../../utils/text/textFile';
import { phrase } from '../../utils/l10n';
import { systemClock } from '../../utils/clock';
import { editDocument, type EditableDocument } from './documentEdit';
import { TypingDetector } from './typingDetector';

/** Reads and edits open documents, visible or not. Also detects other editors with unsaved changes. */
export class EditorFiles implements OpenFiles {
  get(path: string): OpenDocument | undefined {
    const document = findDocument(path);
    return document && new EditorDocument(document);
  }

  isHeld(path: string): boolean {
    return vscode.window.tabGroups.all
      .flatMap(({ tabs }) => tabs)
      .some(({ isDirty, input }) => isDirty && isForeign(input) && isAt(input.uri, path));
  }

  async rename(from: string, to: string): Promise<void> {
    const edit = new vscode.WorkspaceEdit();
    edit.renameFile(openUri(from), vscode.Uri.file(to), { overwrite: false });
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

  async bytes(text = this.text): Promise<Buffer> {
    return Buffer.from(await vscode.workspace.encode(text, { encoding: this.encoding }));
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

  replace(edit: TextEdit): Promise<ReplacedText | null> {
    return editDocument(editable(this.document), edit, systemClock);
  }
}

function editable(document: vscode.TextDocument): EditableDocument {
  return {
    get isClosed() {
      return document.isClosed;
    },
    lineEnd: document.eol === vscode.EndOfLine.CRLF ? '\r\n' : '\n',
    getText: () => document.getText(),
    save: () => document.save(),
    textOnDisk: () => textOnDisk(document),
    apply: (before, after) => apply(document, before, after),
    onChange: (listener) => {
      const typing = new TypingDetector();
      return vscode.workspace.onDidChangeTextDocument((event) => {
        if (event.document === document && event.contentChanges.length > 0)
          listener({ text: document.getText(), isTyped: typing.isTyped(event) });
      });
    },
  };
}

async function textOnDisk({ encoding, uri }: vscode.TextDocument): Promise<string | undefined> {
  const bytes = await readFile(uri.fsPath).catch(() => undefined);
  return bytes && (await vscode.workspace.decode(bytes, { encoding })).replace(/^\uFEFF/, '');
}

/**
 * Replaces only the lines that differ, so that cursors, folded regions and marks stay in place. VS
 * Code rejects the edit if the text has changed.
 */
async function apply(document: vscode.TextDocument, before: string, after: string): Promise<boolean> {
  const [old, now] = [before, after].map((text) => splitLines(plainLineEnds(text))) as [string[], string[]];
  const edit = new vscode.WorkspaceEdit();
  for (const { beforeStart, beforeEnd, afterStart, afterEnd } of diffLines(old, now)) {
    const range = document.validateRange(new vscode.Range(beforeStart, 0, beforeEnd, 0));
    edit.replace(document.uri, range, now.slice(afterStart, afterEnd).join(''));
  }
  return vscode.workspace.applyEdit(edit);
}

/** Returns the URI of the open document with this real path. The URI may be a symbolic link to the file. */
export function openUri(path: string): vscode.Uri {
  return findDocument(path)?.uri ?? vscode.Uri.file(path);
}

function findDocument(path: string): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find(({ uri, isClosed }) => !isClosed && isAt(uri, path));
}

/** Returns true for tabs with notebooks and custom editors, which have no text document. */
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
