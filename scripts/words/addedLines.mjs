import { readFileSync } from 'node:fs';
import { capture } from '../lib/processes.mjs';

/**
 * Returns the commit to compare with: the merge base of HEAD with `main` or `origin/main`. If neither branch exists (a clone of a single
 * branch) or HEAD is part of it, returns the commit before HEAD. Returns `undefined` without Git or if HEAD is the only commit, as in a
 * shallow clone.
 */
export async function baseCommit(folder) {
  const head = await git(folder, 'rev-parse', '--verify', '--quiet', 'HEAD');
  for (const branch of ['main', 'origin/main']) {
    const base = await git(folder, 'merge-base', branch, 'HEAD');
    if (base !== undefined && base !== head) return base;
  }
  return git(folder, 'rev-parse', '--verify', '--quiet', 'HEAD^');
}

/**
 * Returns the added lines in the working tree: a map from each file to its line numbers, counted from 1. Untracked files are not included.
 */
export async function addedLines(folder, base, paths) {
  const diff = await git(folder, 'diff', '--unified=0', '--no-color', '--no-ext-diff', '--no-renames', base, '--', ...paths);
  return linesOfDiff(diff ?? '');
}

/** Returns the added lines of a diff without context. */
export function linesOfDiff(diff) {
  const added = new Map();
  let lines = [];
  for (const line of diff.split('\n')) {
    const file = /^\+\+\+ (?:b\/(.*)|\/dev\/null)$/.exec(line);
    if (file) {
      lines = [];
      if (file[1] !== undefined) added.set(file[1], lines);
    }
    const hunk = /^@@ -\S+ \+(\d+)(?:,(\d+))? @@/.exec(line);
    if (hunk) lines.push(...Array.from({ length: Number(hunk[2] ?? 1) }, (_, at) => Number(hunk[1]) + at));
  }
  return added;
}

/** Returns the blocks of English in the given lines of a file as `{ line, text }`, where `line` is the first line of the block. */
export function englishOf(file, content, lines) {
  const all = file.endsWith('.md') ? proseOf(content) : content.split('\n');
  if (file.endsWith('.md'))
    return blocks(lines).map((block) => ({ line: block[0], text: block.map((line) => all[line - 1] ?? '').join('\n') }));
  return lines.flatMap((line) => {
    const pair = /^\s*("(?:[^"\\]|\\.)*"): ("(?:[^"\\]|\\.)*"),?$/.exec(all[line - 1] ?? '');
    return pair === null ? [] : [{ line, text: JSON.parse(file.includes('bundle.') ? pair[1] : pair[2]) }];
  });
}

/** Returns the lines of a page without code and link targets. */
function proseOf(content) {
  const blank = (text) => text.replaceAll(/[^\n]/g, ' ');
  return content
    .replaceAll(/^ *(`{3,}|~{3,})[^\n]*\n[\s\S]*?^ *\1/gm, blank)
    .replaceAll(/(`+)[^`]+\1/g, (code) => `x${blank(code.slice(1))}`)
    .replaceAll(/\]\([^)\n]*\)/g, blank)
    .split('\n');
}

/** Splits ascending numbers into runs without gaps. */
function blocks(numbers) {
  const runs = [];
  for (const number of numbers) {
    if (runs.at(-1)?.at(-1) === number - 1) runs.at(-1).push(number);
    else runs.push([number]);
  }
  return runs;
}

/**
 * Returns the English in lines added to files since a commit, as `{ file, line, text }`. Omits texts of JSON files that existed before,
 * because only their translation or position has changed.
 */
export async function addedEnglish(folder, base, paths) {
  const added = await addedLines(folder, base, paths);
  const found = [];
  for (const [file, lines] of added) {
    const blocks = englishOf(file, readFileSync(`${folder}/${file}`, 'utf8'), lines);
    const before = file.endsWith('.json') && blocks.length > 0 ? await textsAt(folder, base, file) : new Set();
    found.push(...blocks.filter(({ text }) => !before.has(text)).map((block) => ({ file, ...block })));
  }
  return found;
}

async function textsAt(folder, commit, file) {
  const content = (await git(folder, 'show', `${commit}:${file}`)) ?? '';
  const lines = content.split('\n').map((_, at) => at + 1);
  return new Set(englishOf(file, content, lines).map(({ text }) => text));
}

async function git(folder, ...args) {
  const { code, output } = await capture('git', args, { cwd: folder });
  return code === 0 ? output.trimEnd() : undefined;
}
