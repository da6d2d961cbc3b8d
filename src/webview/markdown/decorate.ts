import { t } from '../translate';
import type { FileLocation } from '../types';

/** Attribute that marks links to workspace files. Untrusted text can never contain it. */
const pathAttribute = 'data-path';
/** Maximum length of a path. */
const longestPath = 300;
/** Maximum number of paths and symbols in one block. */
const mostPlaces = 100;
/** Maximum length of a symbol name. */
const longestName = 120;
/** Minimum length of a symbol name in code. */
const shortestName = 3;
const wordPattern = /[^\s"'`´‘’“”<>|?*(),;[\]{}]+/gu;
const placePattern = /^([^\s:#]*[^\s:#.])(?::(\d{1,7})(?:[-–](\d{1,7})|:\d{1,7})?|#L(\d{1,7})(?:-L?(\d{1,7}))?)?$/u;

const symbolPattern = /^[\p{L}_$][\p{L}\p{N}_$]*(?:(?:\.|::|#)[\p{L}_$][\p{L}\p{N}_$]*)*(?=(?:\([^()]*\))?$)/u;
const compound = /\p{Ll}\p{Lu}|[\p{L}\p{N}]_+[\p{L}\p{N}]/u;

/** Finds files and symbols in the workspace. Returns null if an item is missing or not known yet. */
export interface PlaceFinder {
  file(path: string): string | null;
  symbol(name: string): FileLocation | null;
}

/**
 * Returns the symbol in a text as `name` or `Type.member`. Returns null if there is none. Code can contain any name, such
 * as `load()` or `Store#load`. In prose, the name must look like code: `loadStore` or `load_store`.
 */
export function symbolNamed(text: string, isCode: boolean): string | null {
  const name = text.length > longestName ? undefined : symbolPattern.exec(text)?.[0];
  if (name === undefined || (isCode ? name.length < shortestName : !compound.test(name))) return null;
  const [member = '', owner] = name.split(/\.|::|#/).reverse();
  return owner === undefined || owner === 'this' || owner === 'self' ? member : `${owner}.${member}`;
}

/**
 * Returns the location in a text such as `src/app.ts`, `src/app.ts:10`, `app.ts:10-24` or
 * `app.ts#L10`. Returns null if there is none.
 */
export function placeNamed(text: string): FileLocation | null {
  const [, written, from, to, hashFrom, hashTo] = text.length > longestPath ? [] : (placePattern.exec(text) ?? []);
  const path = written?.replaceAll('\\', '/').replace(/^\.\//, '');
  const name = path?.split('/').at(-1) ?? '';
  if (path === undefined || !(/.\.\p{L}/u.test(name) || (path.includes('/') && /\p{L}/u.test(name)) || /^\.\p{L}/u.test(name)))
    return null;
  const first = from ?? hashFrom;
  const last = to ?? hashTo;
  if (first === undefined || Number(first) === 0) return { path };
  const startLine = Number(first);
  return { path, startLine, endLine: Math.max(startLine, Number(last ?? first)) };
}

/** Gives the check boxes of task lists a role, and the text of the task as a name. */
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

/** Location in the workspace. If the text names a symbol, includes the symbol that is defined there. */
interface KnownPlace {
  place: FileLocation;
  symbol?: string;
}

/** Links files and symbols that `find` returns. For each unknown name, returns a function that checks whether it is known now. */
export function linkPlaces(root: DocumentFragment, find: PlaceFinder | null): (() => boolean)[] {
  const unknown: (() => boolean)[] = [];
  let left = mostPlaces;
  const known = (text: string, isCode: boolean): KnownPlace | null => {
    if (find === null || left <= 0) return null;
    const place = placeNamed(text);
    const symbol = symbolNamed(text, isCode);
    if (place === null && symbol === null) return null;
    left -= 1;
    const path = place && find.file(place.path);
    if (place !== null && path !== null) return { place: { ...place, path } };
    if (place !== null) unknown.push(() => find.file(place.path) !== null);
    const defined = symbol === null ? null : find.symbol(symbol);
    if (symbol !== null && defined !== null) return { place: defined, symbol };
    if (symbol !== null) unknown.push(() => find.symbol(symbol) !== null);
    return null;
  };
  for (const link of root.querySelectorAll('a[data-place]')) {
    const target = known(decoded(link.getAttribute('data-place') ?? ''), false);
    link.removeAttribute('data-place');
    if (target !== null) leadTo(link, target);
  }
  for (const code of root.querySelectorAll('code')) {
    const target = code.closest('a, pre') === null ? known(code.textContent.trim(), true) : null;
    if (target !== null) code.replaceWith(createLink(target, code.cloneNode(true)));
  }
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  const texts: Text[] = [];
  while (walker.nextNode())
    if (walker.currentNode.parentElement?.closest('a, code, [data-formula]') == null) texts.push(walker.currentNode as Text);
  for (const text of texts) linkWords(text, (word) => known(word, false));
  return unknown;
}

/** Returns the location and symbol of a link. Returns null for an external link. */
export function readPlace(link: Element): KnownPlace | null {
  const path = link.getAttribute(pathAttribute);
  if (path === null) return null;
  const symbol = link.getAttribute('data-symbol');
  const [startLine, endLine] = (link.getAttribute('data-lines') ?? '').split('-').map(Number);
  return { place: startLine ? { path, startLine, endLine } : { path }, ...(symbol !== null && { symbol }) };
}

function linkWords(text: Text, known: (word: string) => KnownPlace | null): void {
  const parts: (string | Node)[] = [];
  let end = 0;
  for (const { 0: word, index } of text.data.matchAll(wordPattern)) {
    // Ignore punctuation after a path.
    const path = word.slice(0, word.length - (/[.:!…]+$/u.exec(word.slice(-5))?.[0].length ?? 0));
    const target = path === '' ? null : known(path);
    if (target === null) continue;
    parts.push(text.data.slice(end, index), createLink(target, document.createTextNode(path)));
    end = index + path.length;
  }
  if (parts.length > 0) text.replaceWith(...parts, text.data.slice(end));
}

function createLink(target: KnownPlace, content: Node): Element {
  const link = document.createElement('a');
  link.append(content);
  leadTo(link, target);
  return link;
}

function leadTo(link: Element, { place: { path, startLine, endLine }, symbol }: KnownPlace): void {
  if (symbol !== undefined) link.setAttribute('data-symbol', symbol);
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
