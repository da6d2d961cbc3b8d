import type { FimContext } from '../models/fimFamily';

const capacity = 6;
/** Maximum distance in lines between edits that count as one edit. */
const near = 4;

interface Edit {
  path: string;
  line: number;
  text: string;
}

/** Stores the most recently edited lines, with one entry per position. */
export class RecentEdits {
  private readonly edits: Edit[] = [];

  /** Records the text around an edit. `line` starts at 0. */
  note(path: string, line: number, text: string): void {
    const same = this.edits.findIndex((edit) => edit.path === path && Math.abs(edit.line - line) <= near);
    if (same >= 0) this.edits.splice(same, 1);
    if (text.trim() !== '') this.edits.push({ path, line, text });
    if (this.edits.length > capacity) this.edits.shift();
  }

  /** Returns edits at other positions, oldest first. */
  elsewhere(path: string, line: number): FimContext[] {
    return this.edits
      .filter((edit) => edit.path !== path || Math.abs(edit.line - line) > 30)
      .map((edit) => ({ path: edit.path, text: edit.text }));
  }

  forget(path: string): void {
    for (let at = this.edits.length - 1; at >= 0; at -= 1) if (this.edits[at]?.path === path) this.edits.splice(at, 1);
  }
}
