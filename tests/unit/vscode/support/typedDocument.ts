import { writeFileSync } from 'node:fs';
import { editDocument, type EditableDocument } from '../../../../src/vscode/workspace/documentEdit';
import type { OpenDocument, OpenFiles } from '../../../../src/services/files/workspacePorts';
import { diffLines } from '../../../../src/utils/text/lineDiff';
import type { Random } from '../../../webview/support/random';

/** Letter that only the user types. */
export const typedLetter = 'ж';

/** Line in the editor. `key` is the number of the last keystroke that changed it. */
interface EditorLine {
  text: string;
  key: number;
}

/**
 * A file in an editor in which a user types. As in VS Code, the extension host receives keystrokes late but in order. Time advances only in
 * `pass`, which every call from the host uses.
 */
export class TypedDocument implements OpenFiles {
  private lines: EditorLine[];
  private cursor: { line: number; column: number };
  private keys = 0;
  /** Text that the host knows, followed by the changes that it has not received. */
  private known: string;
  private readonly unheard: { text: string; isTyped: boolean }[] = [];
  private readonly listeners = new Set<Parameters<EditableDocument['onChange']>[0]>();
  private saved: string;
  /** Number of edits that conflicted because the user typed at the same time. */
  conflicts = 0;

  constructor(
    private readonly path: string,
    text: string,
    private readonly random: Random,
    /** Minimum milliseconds between two keystrokes. */
    private readonly pace: number,
    private readonly hasAutoSave: boolean,
  ) {
    this.lines = text.split('\n').map((line) => ({ text: line, key: 0 }));
    this.cursor = { line: random.integer(this.lines.length), column: 0 };
    this.known = text;
    this.saved = text;
    writeFileSync(path, text);
  }

  get text(): string {
    return this.lines.map(({ text }) => text).join('\n');
  }

  get keysTyped(): number {
    return this.keys;
  }

  /** Returns true if each group has a line that no keystroke after `since` has changed. */
  hasUntouched(groups: readonly (readonly string[])[], since: number): boolean {
    const isUntouched = (text: string) => this.lines.some((line) => line.text === text && line.key <= since);
    return groups.every((group) => group.some(isUntouched));
  }

  /** Lets up to `most` milliseconds pass, during which the user types. */
  pass(most: number): void {
    const keys = this.random.integer(Math.ceil(most / this.pace) + 1);
    for (let key = 0; key < keys; key += 1) this.type();
    if (this.hasAutoSave && this.random.integer(4) === 0) this.save();
  }

  get(path: string): OpenDocument | undefined {
    if (path !== this.path) return undefined;
    this.hear();
    const text = this.known;
    return {
      text,
      encoding: 'utf8',
      isDirty: text !== this.saved,
      lacking: async () => undefined,
      bytes: async (other = text) => {
        this.pass(60);
        return Buffer.from(other);
      },
      replace: (edit) => editDocument(this.document(), edit, { sleep: async (ms) => this.pass(ms) }),
    };
  }

  isHeld(): boolean {
    return false;
  }

  rename(): Promise<void> {
    return Promise.reject(new Error('Nothing is renamed here'));
  }

  private document(): EditableDocument {
    return {
      isClosed: false,
      lineEnd: '\n',
      getText: () => this.known,
      textOnDisk: async () => this.saved,
      save: async () => {
        this.pass(200);
        this.save();
        this.pass(200);
        this.hear();
        // True only if nothing was typed since, as in VS Code.
        return this.saved === this.text;
      },
      apply: async (before, after) => {
        this.pass(50);
        const isApplied = this.text === before;
        if (isApplied) this.apply(after);
        else this.conflicts += 1;
        this.pass(50);
        this.hear();
        return isApplied;
      },
      onChange: (listener) => {
        this.listeners.add(listener);
        return { dispose: () => this.listeners.delete(listener) };
      },
    };
  }

  private apply(after: string): void {
    const texts = after.split('\n');
    const hunks = diffLines(
      this.lines.map(({ text }) => text),
      texts,
    );
    for (const { beforeStart, beforeEnd, afterStart, afterEnd } of [...hunks].reverse()) {
      const added = texts.slice(afterStart, afterEnd).map((text) => ({ text, key: this.keys }));
      this.lines.splice(beforeStart, beforeEnd - beforeStart, ...added);
      if (this.cursor.line >= beforeEnd) this.cursor.line += added.length - (beforeEnd - beforeStart);
      else if (this.cursor.line >= beforeStart) this.cursor.column = 0;
    }
    this.cursor.line = Math.min(this.cursor.line, this.lines.length - 1);
    this.cursor.column = Math.min(this.cursor.column, this.lines[this.cursor.line]?.text.length ?? 0);
    this.unheard.push({ text: this.text, isTyped: false });
  }

  private type(): void {
    const { random, cursor } = this;
    this.keys += 1;
    if (random.integer(12) === 0) {
      cursor.line = random.integer(this.lines.length);
      cursor.column = random.integer((this.lines[cursor.line]?.text.length ?? 0) + 1);
    }
    const line = this.lines[cursor.line] as EditorLine;
    const left = line.text.slice(0, cursor.column);
    const right = line.text.slice(cursor.column);
    line.key = this.keys;
    if (random.integer(15) === 0) {
      line.text = left;
      this.lines.splice(cursor.line + 1, 0, { text: right, key: this.keys });
      cursor.line += 1;
      cursor.column = 0;
    } else {
      line.text = `${left}${typedLetter}${right}`;
      cursor.column += 1;
    }
    this.unheard.push({ text: this.text, isTyped: true });
  }

  private save(): void {
    this.saved = this.text;
    writeFileSync(this.path, this.saved);
  }

  /** Reports all pending changes to the host, in order. */
  private hear(): void {
    for (const change of this.unheard.splice(0)) {
      this.known = change.text;
      for (const listener of this.listeners) listener(change);
    }
  }
}
