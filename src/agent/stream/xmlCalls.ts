import { t } from '../../utils/l10n';
import type { WrittenValue } from './callBlock';
import { readLooseJson } from './looseJson';
import { tagPrefix } from './valueEnds';
import { endsInTheMiddle, nameInHead, nameless, unreadable, type WrittenCall } from './writtenCall';

const opening = new RegExp(`^<${tagPrefix}(?:function|invoke)(?:=|\\s+name=)["']?([^"'>\\s]+)["']?\\s*>`);
const endTags = new RegExp(`(?:\\s*<\\/${tagPrefix}(?:function|invoke|tool_calls?|function_calls)>)+\\s*$`);
const parameterTag = new RegExp(
  `<${tagPrefix}param(?:eter)?(?:=|\\s+name=)["']?([^"'>]+?)["']?(?:\\s+string="(true|false)")?\\s*>|<\\/${tagPrefix}param(?:eter)?>`,
  'g',
);
const pair = /<arg_key>([^<]*)<\/arg_key>\s*<arg_value>([\s\S]*?)<\/arg_value>/g;

/**
 * Reads a call written as tags. The format is `<function=…>` or `<invoke name=…>` with
 * parameters, or pairs of keys and values. `readJson` reads a call with JSON arguments.
 */
export function readXmlCall(
  { head, text, isComplete }: WrittenValue,
  isCutOff: boolean,
  readJson: (name: string, text: string) => WrittenCall,
): WrittenCall {
  const [start = '', tagged] = opening.exec(text) ?? [];
  const name = tagged ?? nameInHead(head);
  if (name === null) return unreadable(nameless, 'it has no name', head + text);
  const body = text.slice(start.length).replace(endTags, '');
  if (body.trimStart().startsWith('{')) return readJson(name, body);
  const { input, open, repairs } = start === '' ? readPairs(body) : readParameters(body);
  const isEnded = isComplete || endTags.test(text);
  if (open !== null && !(isEnded && open.hasText)) return endsInTheMiddle(name, ` in ${JSON.stringify(open.key)}`, text);
  if (!isEnded && isCutOff) return endsInTheMiddle(name, '', text);
  return { name, input, ...(repairs.length > 0 && { repairs }) };
}

interface Arguments {
  input: Record<string, unknown>;
  /** Last argument, if its closing tag is missing. */
  open: { key: string; hasText: boolean } | null;
  repairs: string[];
}

function readPairs(body: string): Arguments {
  const input: Record<string, unknown> = {};
  let end = 0;
  for (const found of body.matchAll(pair)) {
    put(input, found[1] ?? '', withoutOuterBreaks(found[2] ?? ''));
    end = found.index + found[0].length;
  }
  const [, key] = /<arg_key>([^<]*)/.exec(body.slice(end)) ?? [];
  return { input, open: key === undefined ? null : { key, hasText: false }, repairs: [] };
}

interface Tag {
  /** Name of a parameter that begins, or undefined for a closing tag. */
  key: string | undefined;
  /** True if the value is marked as text. DeepSeek marks each value as text or JSON. */
  isText: boolean;
  start: number;
  end: number;
}

/**
 * Reads the parameters between their tags. If closing tags are missing, the next opening tag ends a
 * value. Otherwise tags inside a value belong to the value, for example in a file about this format.
 */
function readParameters(body: string): Arguments {
  const tags: Tag[] = [...body.matchAll(parameterTag)].map((found) => ({
    key: found[1],
    isText: found[2] !== 'false',
    start: found.index,
    end: found.index + found[0].length,
  }));
  const ends = tags.filter(({ key }) => key === undefined).length;
  const missing = tags.length - 2 * ends;
  const input: Record<string, unknown> = {};
  let open: Arguments['open'] = null;
  for (let at = 0; at < tags.length;) {
    const tag = tags[at];
    at += 1;
    if (tag?.key === undefined) continue;
    const last = missing > 0 ? at : findEnd(tags, at, missing < 0, body);
    const ending = tags[last];
    const value = body.slice(tag.end, ending?.start ?? body.length);
    put(input, tag.key, typed(withoutOuterBreaks(value), tag.isText));
    if (ending === undefined) open = { key: tag.key, hasText: value !== '' };
    at = ending?.key === undefined ? last + 1 : last;
  }
  return { input, open, repairs: missing > 0 ? [t('a "{0}" was missing', '</parameter>')] : [] };
}

/**
 * Returns the index of the tag that closes the value that began before `from`. If
 * there are too many closing tags, this is a closing tag directly before another tag.
 */
function findEnd(tags: readonly Tag[], from: number, hasMoreEnds: boolean, body: string): number {
  let depth = 1;
  for (let at = from; at < tags.length; at += 1) {
    const tag = tags[at];
    if (tag === undefined) break;
    if (hasMoreEnds) {
      const next = tags[at + 1];
      if (tag.key !== undefined || body.slice(tag.end, next?.start).trim() !== '') continue;
      if (next === undefined || next.key !== undefined) return at;
    } else depth += tag.key === undefined ? -1 : 1;
    if (depth === 0) return at;
  }
  return tags.length;
}

function typed(value: string, isText: boolean): unknown {
  if (isText) return value;
  const read = readLooseJson(`[${value}]`);
  return read.isValid && Array.isArray(read.value) && read.value.length === 1 ? read.value[0] : value;
}

/** Sets a value under a key from the model. A plain assignment to `__proto__` would set the prototype. */
function put(input: Record<string, unknown>, key: string, value: unknown): void {
  Object.defineProperty(input, key.trim(), { value, enumerable: true, writable: true, configurable: true });
}

/** Removes the line breaks directly after the opening tag and before the closing tag. */
function withoutOuterBreaks(text: string): string {
  return text.replace(/^\r?\n/, '').replace(/\r?\n$/, '');
}
