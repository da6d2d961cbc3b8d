import { t } from '../translate';
import type { FileLocation } from '../types';

/** Name of the attribute by which a link to a place of the workspace is known; what others wrote never has it. */
const pathAttribute = 'data-path';
/** Longest text that is taken for a path, and paths of one block. */
const [longestPath, mostPaths] = [300, 100];
const wordPattern = /[^\s"'`´‘’“”<>|?*(),;[\]{}]+/gu;
const placePattern = /^([^\s:#]*[^\s:#.])(?::(\d{1,7})(?:[-–](\d{1,7})|:\d{1,7})?|#L(\d{1,7})(?:-L?(\d{1,7}))?)?$/u;

/** Returns the place that a text names: `src/app.ts`, `src/app.ts:10`, `app.ts:10-24`, `app.ts#L10`; null for one that names none. */
export function placeNamed(text: string): FileLocation | null {
  const [, written, from, to, hashFrom, hashTo] = text.length > longestPath ? [] : (placePattern.exec(text) ?? []);
  const path = written?.replaceAll('\\', '/').replace(/^\.\//, '');
  const name = path?.split('/').at(-1) ?? '';
  if (path === undefined || !(/.\.\p{L}/u.test(name) || (path.includes('/') && /\p{L}/u.test(name)) || /^\.\p{L}/u.test(name)))
    return null;
  const [first, last] = [from ?? hashFrom, to ?? hashTo];
  if (first === undefined || Number(first) === 0) return { path };
  const startLine = Number(first);
  return { path, startLine, endLine: Math.max(startLine, Number(last ?? first)) };
}

/** Gives the check boxes of task lists their role, and their task as name. */
export function nameChecks(root: DocumentFragment): void {
  for (const box of root.querySelectorAll('.md-check')) {
    const item = box.closest('li');
    const parts = [...(item?.childNodes ?? [])].filter((node) => !['UL', 'OL'].includes(node.nodeName));
    const name = parts
      .map(({ textContent }) => textContent)
      .join('')
      .trim()
      .slice(0, 200);
    box.setAttribute('role', 'checkbox');
    box.setAttribute('aria-checked', String(box.classList.contains('codicon-check')));
    box.setAttribute('aria-disabled', 'true');
    box.setAttribute('aria-label', name);
  }
}

/**
 * Makes links of the places of the workspace that a text names and `find` knows, of none without it. Returns the paths that it does not know.
 */
export function linkPlaces(root: DocumentFragment, find: ((path: string) => string | null) | null): string[] {
  const unknown: string[] = [];
  let left = find === null ? 0 : mostPaths;
  const known = (text: string): FileLocation | null => {
    const place = left > 0 ? placeNamed(text) : null;
    if (place === null) return null;
    left -= 1;
    const path = find?.(place.path) ?? null;
    if (path === null) unknown.push(place.path);
    return path === null ? null : { ...place, path };
  };
  for (const link of root.querySelectorAll('a[data-place]')) {
    const place = known(decoded(link.getAttribute('data-place') ?? ''));
    link.removeAttribute('data-place');
    if (place !== null) leadTo(link, place);
  }
  for (const code of root.querySelectorAll('code')) {
    const place = code.closest('a, pre') === null ? known(code.textContent.trim()) : null;
    if (place !== null) code.replaceWith(linkOf(place, code.cloneNode(true)));
  }
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode())
    if (walker.currentNode.parentElement?.closest('a, code') == null) texts.push(walker.currentNode as Text);
  for (const text of texts) linkWords(text, known);
  return unknown;
}

/** Returns the place that a link leads to; null for a link out of the workspace. */
export function placeOf(link: Element): FileLocation | null {
  const path = link.getAttribute(pathAttribute);
  if (path === null) return null;
  const [startLine, endLine] = (link.getAttribute('data-lines') ?? '').split('-').map(Number);
  return startLine ? { path, startLine, endLine } : { path };
}

function linkWords(text: Text, known: (word: string) => FileLocation | null): void {
  const parts: (string | Node)[] = [];
  let end = 0;
  for (const { 0: word, index } of text.data.matchAll(wordPattern)) {
    // A sentence goes on behind its last word.
    const path = word.slice(0, word.length - (/[.:!…]+$/u.exec(word.slice(-5))?.[0].length ?? 0));
    const place = path === '' ? null : known(path);
    if (place === null) continue;
    parts.push(text.data.slice(end, index), linkOf(place, document.createTextNode(path)));
    end = index + path.length;
  }
  if (parts.length > 0) text.replaceWith(...parts, text.data.slice(end));
}

function linkOf(place: FileLocation, content: Node): Element {
  const link = document.createElement('a');
  link.append(content);
  leadTo(link, place);
  return link;
}

function leadTo(link: Element, { path, startLine, endLine }: FileLocation): void {
  link.setAttribute('href', '#');
  link.setAttribute(pathAttribute, path);
  if (startLine !== undefined) link.setAttribute('data-lines', `${startLine}-${endLine ?? startLine}`);
  link.setAttribute('title', startLine === undefined ? t('Open {0}', path) : t('Open {0}, line {1}', path, startLine));
}

function decoded(address: string): string {
  try {
    return decodeURI(address);
  } catch {
    return address;
  }
}
