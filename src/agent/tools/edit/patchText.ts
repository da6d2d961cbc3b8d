import { AppError } from '../../../utils/errors';
import { t } from '../../../utils/l10n';

/** Part of a patch that changes one position of a file. */
export interface PatchHunk {
  /** Lines above the position, from the outermost to the innermost, for example a class and a function. */
  anchors: string[];
  /** First line in the old text, counted from 1. Undefined if the patch does not contain it. */
  oldStart: number | undefined;
  lines: { kind: 'same' | 'old' | 'new'; text: string }[];
  /** True if the patch marks the hunk as the end of the file. */
  isAtEnd: boolean;
  /** True if the new text ends with a line break. Undefined if the patch does not contain this information. */
  endsLine: boolean | undefined;
}

/** Change to one file. For a new file, `text` is the whole content. */
export type FilePatch =
  | { kind: 'create'; path: string; text: string }
  | { kind: 'delete'; path: string }
  | { kind: 'modify'; path: string; newPath: string | undefined; hunks: PatchHunk[] };

/** Thrown for a patch that cannot be parsed or applied. */
export class PatchProblem extends AppError {
  readonly code = 'patch';

  constructor(english: string, local = t('The patch could not be read.')) {
    super(english, { local, english });
  }
}

const fileMarker = /^\*\*\* (Add|Update|Delete) File:/;
const indentedMarker = /^([ \t]+)(?=\*\*\* (?:(?:Add|Update|Delete) File:|Move to:|End of File))/;

const example =
  'Write it as *** Begin Patch, *** Update File: path, @@, lines that begin with a space, - or +, and *** End Patch.';

/**
 * Parses a patch that begins with `*** Begin Patch`, or a unified diff. Accepts common errors of
 * models, such as code fences, wrong line numbers and missing context. Throws `PatchProblem`.
 */
export function parsePatch(patch: string): FilePatch[] {
  const lines = withoutIndent(withoutWrapping(patch.replaceAll(/\r+\n|\r/g, '\n').split('\n')));
  const files = joined(lines.some((line) => fileMarker.test(line)) ? markedFiles(lines) : unifiedFiles(lines));
  if (files.length === 0) throw new PatchProblem(`The patch names no file. ${example}`);
  for (const file of files) {
    if (file.kind === 'modify' && file.newPath === undefined && file.hunks.length === 0) throw changesNothing(file.path);
  }
  return files;
}

/** Returns whether a patch deletes a file. Returns false if the patch cannot be parsed. */
export function deletesFiles(patch: string): boolean {
  try {
    return parsePatch(patch).some(({ kind }) => kind === 'delete');
  } catch {
    return false;
  }
}

function changesNothing(path: string): PatchProblem {
  const english = `The patch changes nothing in ${path}: no line begins with + or -. ${example}`;
  return new PatchProblem(english, t('The patch changes nothing in {0}.', path));
}

/** Joins separate changes of the same file. */
function joined(files: readonly FilePatch[]): FilePatch[] {
  const all: FilePatch[] = [];
  for (const file of files) {
    const earlier = all.find((one) => one.kind === 'modify' && one.path === file.path);
    if (file.kind === 'modify' && earlier?.kind === 'modify' && file.newPath === undefined) earlier.hunks.push(...file.hunks);
    else all.push(file);
  }
  return all;
}

/** Removes code fences, `apply_patch <<EOF` and the begin and end markers. */
function withoutWrapping(lines: string[]): string[] {
  const begin = lines.findIndex((line) => /^\s*\*\*\* Begin Patch\s*$/.test(line));
  const end = lines.findLastIndex((line) => /^\s*\*\*\* End Patch\s*$/.test(line));
  const inside = lines.slice(begin + 1, end > begin ? end : undefined);
  return begin >= 0 || end >= 0 ? inside : inside.filter((line) => !/^```[\w-]*\s*$/.test(line));
}

/** Removes the indentation of markers. If all lines have the indentation of the first marker, removes it from all lines. */
function withoutIndent(lines: readonly string[]): string[] {
  const first = lines.find((line) => fileMarker.test(line) || indentedMarker.test(line)) ?? '';
  const indent = indentedMarker.exec(first)?.[1];
  if (indent === undefined || lines.some((line) => fileMarker.test(line))) return [...lines];
  const isShared = lines.every((line) => line.trim() === '' || line.startsWith(indent));
  return lines.map((line) => (isShared ? line.slice(indent.length) : line.replace(indentedMarker, '')));
}

function markedFiles(lines: readonly string[]): FilePatch[] {
  const files: FilePatch[] = [];
  for (let at = 0; at < lines.length;) {
    const mark = /^\*\*\* (Add|Update|Delete) File:\s*(.+?)\s*$/.exec(lines[at] ?? '');
    at += 1;
    if (mark === null) continue;
    const [, kind, path = ''] = mark;
    const next = lines.findIndex((line, index) => index >= at && fileMarker.test(line));
    const body = lines.slice(at, next < 0 ? undefined : next);
    at = next < 0 ? lines.length : next;
    if (kind === 'Delete') files.push({ kind: 'delete', path });
    else if (kind === 'Add') files.push({ kind: 'create', path, text: addedText(body) });
    else {
      const move = /^\*\*\* Move to:\s*(.+?)\s*$/.exec(body[0] ?? '');
      files.push({ kind: 'modify', path, newPath: move?.[1], hunks: hunksIn(move ? body.slice(1) : body, path) });
    }
  }
  return files;
}

function addedText(body: readonly string[]): string {
  const lines = body.filter((line) => !/^\*\*\* End of (?:File|Patch)\s*$/.test(line));
  while (lines.at(-1) === '') lines.pop();
  const isMarked = lines.every((line) => line.trim() === '' || line.startsWith('+'));
  return lines.map((line) => `${isMarked ? line.slice(1) : line}\n`).join('');
}

function unifiedFiles(lines: readonly string[]): FilePatch[] {
  const files: FilePatch[] = [];
  const starts: number[] = [];
  for (const [index, line] of lines.entries()) {
    if (line.startsWith('diff --git ') || namesFile(lines, index, starts.at(-1))) starts.push(index);
  }
  for (const [index, start] of starts.entries()) files.push(unifiedFile(lines.slice(start, starts[index + 1])));
  return files;
}

/** Returns whether the two lines at `index` name a file. A removed line `-- x` above an added line `++ y` looks the same. */
function namesFile(lines: readonly string[], index: number, start: number | undefined): boolean {
  const from = lines[index] ?? '';
  const to = lines[index + 1] ?? '';
  if (!from.startsWith('--- ') || !to.startsWith('+++ ') || isInGitHead(lines, index, start)) return false;
  if (start === undefined) return true;
  const hunk = lines.slice(0, index).findLastIndex((line) => line.startsWith('@@'));
  if (hunk > start && isCounted(lines, hunk, index)) return false;
  const [old, made] = [from, to].map((line) =>
    line
      .slice(4)
      .replace(/\t.*$/, '')
      .trim()
      .replace(/^[ab]\//, ''),
  );
  return (lines[index + 2] ?? '').startsWith('@@') || old === made || old === '/dev/null' || made === '/dev/null';
}

/** Returns whether the hunk header's line counts include the line at `index` and the next line. */
function isCounted(lines: readonly string[], hunk: number, index: number): boolean {
  const counts = /^@@+ -\d+(?:,(\d+))? \+\d+(?:,(\d+))? @@/.exec(lines[hunk] ?? '');
  if (counts === null) return false;
  let old = Number(counts[1] ?? 1);
  let made = Number(counts[2] ?? 1);
  let end = hunk + 1;
  for (; end < lines.length && (old > 0 || made > 0); end += 1) {
    const sign = lines[end]?.charAt(0);
    if (sign !== '+' && sign !== '\\') old -= 1;
    if (sign !== '-' && sign !== '\\') made -= 1;
  }
  return old === 0 && made === 0 && index + 1 < end && /^(?:@@|diff --git |--- |\\|$)/.test(lines[end] ?? '');
}

/** Returns whether the file names belong to the `diff --git` line above them. */
function isInGitHead(lines: readonly string[], index: number, start: number | undefined): boolean {
  if (start === undefined || !(lines[start] ?? '').startsWith('diff --git ')) return false;
  return !lines.slice(start + 1, index).some((line) => line.startsWith('@@') || line.startsWith('--- '));
}

function unifiedFile(lines: readonly string[]): FilePatch {
  const first = lines.findIndex((line) => line.startsWith('@@'));
  const head = lines.slice(0, first < 0 ? undefined : first);
  const said = (pattern: RegExp) => head.map((line) => pattern.exec(line)?.[1]).find((text) => text !== undefined);
  const git = /^diff --git (?:"?a\/)?(.+?)"? (?:"?b\/)?(.+?)"?$/.exec(head[0] ?? '');
  const isGit = git !== null || (/^--- a\//m.test(head.join('\n')) && /^\+\+\+ (b\/|\/dev\/null)/m.test(head.join('\n')));
  const name = (text: string | undefined, prefix: string) => {
    const plain = text?.replace(/\t.*$/, '').trim();
    return isGit && plain?.startsWith(prefix) ? plain.slice(prefix.length) : plain;
  };
  const from = name(said(/^--- (.+)$/), 'a/') ?? said(/^rename from (.+)$/) ?? git?.[1];
  const to = name(said(/^\+\+\+ (.+)$/), 'b/') ?? said(/^rename to (.+)$/) ?? git?.[2];
  if (from === undefined || to === undefined) throw new PatchProblem(`A file of the patch has no name. ${example}`);
  // Without `@@`, the lines directly follow the file names.
  const names = lines.findIndex((line) => line.startsWith('+++ '));
  const body = first >= 0 ? lines.slice(first) : names >= 0 ? lines.slice(names + 1) : [];
  if (to === '/dev/null' || head.some((line) => line.startsWith('deleted file mode'))) return { kind: 'delete', path: from };
  if (from === '/dev/null' || head.some((line) => line.startsWith('new file mode'))) {
    const hunks = body.length === 0 ? [] : hunksIn(body, to);
    const added = hunks.flatMap((hunk) => hunk.lines.filter(({ kind }) => kind === 'new').map(({ text }) => text));
    const text = added.map((line) => `${line}\n`).join('');
    return { kind: 'create', path: to, text: hunks.at(-1)?.endsLine === false ? text.slice(0, -1) : text };
  }
  const newPath = to === from ? undefined : to;
  return { kind: 'modify', path: from, newPath, hunks: body.length === 0 ? [] : hunksIn(body, from) };
}

function hunksIn(body: readonly string[], path: string): PatchHunk[] {
  const hunks: PatchHunk[] = [];
  let hunk: PatchHunk | undefined;
  /** Empty lines without the leading space of a context line. They are ignored at the end of a hunk. */
  const blank = new Set<PatchHunk['lines'][number]>();
  const open = (): PatchHunk => {
    hunks.push((hunk = { anchors: [], oldStart: undefined, lines: [], isAtEnd: false, endsLine: undefined }));
    return hunk;
  };
  let last: 'same' | 'old' | 'new' = 'same';
  for (const line of body) {
    const numbers = /^@@+ -(\d+)(?:,\d+)? \+\d+(?:,\d+)? @@+(.*)$/.exec(line);
    if (numbers !== null) {
      const one = open();
      one.oldStart = Number(numbers[1]);
      if (numbers[2]?.trim()) one.anchors.push(numbers[2].trim());
    } else if (line.startsWith('@@')) {
      const anchor = line.replace(/^@@\s?/, '').replace(/\s*@@$/, '');
      // Consecutive anchors are ordered from the outermost to the innermost.
      const one = hunk !== undefined && hunk.lines.length === 0 ? hunk : open();
      if (anchor.trim() !== '' && anchor.trim() !== '...') one.anchors.push(anchor.trim());
    } else if (/^\*\*\* End of File/.test(line)) (hunk ?? open()).isAtEnd = true;
    else if (line.startsWith('\\ ')) {
      if (last !== 'old') (hunk ?? open()).endsLine = false;
      else (hunk ?? open()).endsLine ??= true;
    } else {
      const one = hunk ?? open();
      const kind = line.startsWith('+') ? 'new' : line.startsWith('-') ? 'old' : 'same';
      const read = { kind, text: kind === 'same' && !line.startsWith(' ') ? line : line.slice(1) } as const;
      if (line === '') blank.add(read);
      one.lines.push(read);
      last = kind;
    }
  }
  for (const { lines } of hunks) {
    for (let end = lines.at(-1); end !== undefined && blank.has(end); end = lines.at(-1)) lines.pop();
  }
  const changing = hunks.filter(({ lines }) => lines.some(({ kind }) => kind !== 'same'));
  if (changing.length === 0 && body.some((line) => line.trim() !== '')) throw changesNothing(path);
  return changing;
}
