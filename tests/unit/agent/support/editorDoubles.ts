import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { FileError } from '../../../../src/services/files/fileError';
import { phrase } from '../../../../src/utils/l10n';
import type { DiagnosticsWatcher, FileDiagnostic } from '../../../../src/agent/kernel/ports';
import { encodedAs } from './legacyEncoding';
import type { OpenDocument, OpenFiles } from '../../../../src/services/files/workspacePorts';

/** Editor with no open files. */
export const noEditors: OpenFiles = {
  get: () => undefined,
  isHeld: () => false,
  rename: () => Promise.reject(new Error('Nothing is open')),
};

export const noProblems: DiagnosticsWatcher = watcher([], []);

export function watcher(before: FileDiagnostic[], after: FileDiagnostic[]): DiagnosticsWatcher {
  return { watch: () => ({ changes: async () => ({ before, after }), dispose: () => undefined }) };
}

/** Text editors on real files, in UTF-8 unless the file is shown in another encoding. */
export class EditorsDouble implements OpenFiles {
  private readonly texts = new Map<string, string>();
  private readonly encodings = new Map<string, string>();
  private readonly saved = new Set<string>();
  readonly held = new Set<string>();
  readonly renamed: [string, string][] = [];
  /** Formatter that runs on save. */
  format = (text: string): string => text;
  canSave = true;
  /** Problem of an edit that stays unsaved in the editor. */
  problem: FileError | null = null;

  /** Opens a file, with its text on disk or with unsaved text. `encoding` is a label of `TextDecoder`. */
  show(path: string, text = readFileSync(path, 'utf8'), encoding = 'utf-8'): void {
    this.texts.set(path, text);
    this.encodings.set(path, encoding);
  }

  close(path: string): void {
    this.texts.delete(path);
  }

  /** Makes an editor count as saved even if the file on disk has changed. */
  markSaved(path: string): void {
    this.saved.add(path);
  }

  textOf(path: string): string | undefined {
    return this.texts.get(path);
  }

  get(path: string): OpenDocument | undefined {
    const text = this.texts.get(path);
    return text === undefined ? undefined : this.documentOf(path, text);
  }

  isHeld(path: string): boolean {
    return this.held.has(path);
  }

  async rename(from: string, to: string): Promise<void> {
    renameSync(from, to);
    this.renamed.push([from, to]);
    this.texts.set(to, this.texts.get(from) ?? '');
    this.texts.delete(from);
  }

  private documentOf(path: string, text: string): OpenDocument {
    const encoding = this.encodings.get(path) ?? 'utf-8';
    return {
      text,
      encoding,
      isDirty: !this.saved.has(path) && textOn(path, encoding) !== text,
      bytes: async (other = text) => encodedAs(encoding, other),
      lacking: async (other) => [...other].find((one) => encodedAs(encoding, one).toString() === '?' && one !== '?'),
      replace: async (edit) => {
        const before = this.texts.get(path) ?? text;
        const other = edit(before);
        if (other === null) return null;
        if (!this.canSave) throw new FileError('notSaved', phrase('The editor could not save the file.'));
        const after = this.format(other);
        this.texts.set(path, after);
        if (this.problem !== null) return { before, after, problem: this.problem };
        writeFileSync(path, encodedAs(encoding, after));
        return { before, after };
      },
    };
  }
}

function textOn(path: string, encoding: string): string | undefined {
  try {
    return new TextDecoder(encoding, { ignoreBOM: true }).decode(readFileSync(path));
  } catch {
    return undefined;
  }
}
