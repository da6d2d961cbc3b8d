import { readFileSync, writeFileSync } from 'node:fs';
import type { ReviewEditor, TextChange, TextChanged } from '../../../../src/services/review/reviewPorts';
import type { ReviewPlace } from '../../../../src/services/review/reviewTypes';
import { Emitter } from '../../../../src/utils/emitter';
import { EditorsDouble } from '../../agent/support/editorDoubles';
import { edited } from './edited';

const fail = (error: unknown): never => {
  throw error;
};

/** Text editors on real files, with undo stacks, and with the view that tools have of them. */
export class FakeEditor implements ReviewEditor {
  readonly files = new EditorsDouble();
  readonly shown: ReviewPlace[] = [];
  place: ReviewPlace | undefined;
  private readonly text = new Emitter<TextChanged>(fail);
  private readonly cursors = new Emitter<ReviewPlace | undefined>(fail);
  private readonly versions = new Map<string, number>();
  private readonly before = new Map<string, string[]>();
  private readonly undone = new Map<string, string[]>();

  readonly onDidChangeText = this.text.event;
  readonly onDidMoveCursor = this.cursors.event;

  document(path: string): { text: string; version: number; isDirty: boolean } | undefined {
    const open = this.files.get(path);
    return open && { text: open.text, version: this.versions.get(path) ?? 1, isDirty: open.isDirty };
  }

  visible(): string[] {
    return [];
  }

  cursor(): ReviewPlace | undefined {
    return this.place;
  }

  async show(place: ReviewPlace): Promise<void> {
    this.shown.push(place);
    this.move(place);
  }

  move(place: ReviewPlace): void {
    this.place = place;
    this.cursors.fire(place);
  }

  async edit(path: string, version: number, changes: readonly TextChange[]): Promise<boolean> {
    const document = this.document(path);
    if (document?.version !== version) return false;
    this.type(path, ...changes);
    if (!document.isDirty) this.save(path);
    return true;
  }

  /** Types text as the user does. The changes of one event are sorted, last position first. */
  type(path: string, ...changes: TextChange[]): void {
    const before = this.files.textOf(path) ?? '';
    this.remember(path);
    const end = before.includes('\r\n') ? '\r\n' : '\n';
    const after = edited(before.replaceAll('\r\n', '\n').split('\n'), changes).join(end);
    this.put(path, after, changes, 'other');
  }

  /** Presses `Ctrl+Z`. */
  undo(path: string): void {
    this.step(path, 'undo', this.before, this.undone);
  }

  /** Presses `Ctrl+Y`. */
  redo(path: string): void {
    this.step(path, 'redo', this.undone, this.before);
  }

  save(path: string): void {
    writeFileSync(path, this.files.textOf(path) ?? '');
  }

  /** Reloads a file without unsaved changes that changed on disk. `Ctrl+Z` undoes the reload, too. */
  reload(path: string): void {
    this.remember(path);
    this.put(path, readFileSync(path, 'utf8'), [], 'other');
  }

  private remember(path: string): void {
    this.before.set(path, [...(this.before.get(path) ?? []), this.files.textOf(path) ?? '']);
    this.undone.delete(path);
  }

  private step(path: string, reason: 'undo' | 'redo', from: Map<string, string[]>, to: Map<string, string[]>): void {
    const text = from.get(path)?.pop();
    const now = this.files.textOf(path);
    if (text === undefined || now === undefined) return;
    to.set(path, [...(to.get(path) ?? []), now]);
    const lines = now.split('\n');
    const all = { startLine: 0, startCharacter: 0, endLine: lines.length - 1, endCharacter: lines.at(-1)?.length ?? 0 };
    this.put(path, text, [{ ...all, text }], reason);
  }

  private put(path: string, text: string, changes: readonly TextChange[], reason: TextChanged['reason']): void {
    this.files.show(path, text);
    const version = (this.versions.get(path) ?? 1) + 1;
    this.versions.set(path, version);
    this.text.fire({ path, changes, version, reason });
  }
}
