import { readFileSync, renameSync, writeFileSync } from 'node:fs';
import { FileError } from '../../../../src/services/files/fileError';
import { phrase } from '../../../../src/utils/l10n';
import type { DiagnosticsWatcher, FileDiagnostic } from '../../../../src/agent/kernel/ports';
import type { OpenDocument, OpenFiles } from '../../../../src/services/files/workspacePorts';

/** No open editors. */
export const noEditors: OpenFiles = {
  get: () => undefined,
  isHeld: () => false,
  rename: () => Promise.reject(new Error('Nothing is open')),
};

export const noProblems: DiagnosticsWatcher = watcher([], []);

export function watcher(before: FileDiagnostic[], after: FileDiagnostic[]): DiagnosticsWatcher {
  return { watch: () => ({ changes: async () => ({ before, after }), dispose: () => undefined }) };
}

/** Text editors on real files, in UTF-8. */
export class EditorsDouble implements OpenFiles {
  private readonly texts = new Map<string, string>();
  readonly held = new Set<string>();
  readonly renamed: [string, string][] = [];
  /** Formatter that runs on save. */
  format = (text: string): string => text;
  canSave = true;

  /** Opens a file, with its text on disk or with unsaved text. */
  show(path: string, text = readFileSync(path, 'utf8')): void {
    this.texts.set(path, text);
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
    return {
      text,
      isDirty: textOn(path) !== text,
      bytes: async () => Buffer.from(text),
      replace: async (other) => {
        if (this.texts.get(path) !== text) return false;
        if (!this.canSave) throw new FileError('notSaved', phrase('The editor could not save the file.'));
        const saved = this.format(other);
        this.texts.set(path, saved);
        writeFileSync(path, saved);
        return true;
      },
    };
  }
}

function textOn(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
