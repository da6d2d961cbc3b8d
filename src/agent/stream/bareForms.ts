/** Names of the first property of a call in plain JSON. An example of a call may look the same. */
const firstKeys = ['name', 'function', 'tool', 'tool_name', 'type', 'id', 'arguments', 'parameters', 'tool_call', 'tool_calls'];
/** Labels of code fences that may contain calls. */
const labels = ['json', 'tool_call', 'tool_code', 'tool', 'xml', 'python'];

export interface Opener {
  /**
   * `token`: a special token. `tag`: a tag that only calls use. `word`: text that may also be prose.
   * `bare`: plain JSON or Python, which may be an example. `fence`: plain JSON or Python in a code fence.
   */
  kind: 'token' | 'tag' | 'word' | 'bare' | 'fence' | 'results';
  /** Length of the opener in characters. */
  length: number;
}

type Found = Opener | 'more' | null;

/** Finds plain JSON or Python that may be a call at the beginning of the text. */
export function plainAt(text: string): Found {
  const python = pythonAt(text, /^\[\s{0,20}/);
  if (python !== null) return python;
  const head = /^\[?\s{0,20}(?:\{\s{0,20}(?:"([a-z_]*)("?))?)?/.exec(text);
  if (!head || head[0] === '') return null;
  const [matched, key, quote] = head;
  const isAll = matched.length === text.length;
  if (key === undefined) return isAll ? 'more' : null;
  if (quote === '') return isAll && firstKeys.some((one) => one.startsWith(key)) ? 'more' : null;
  return firstKeys.includes(key) ? { kind: 'bare', length: 0 } : null;
}

/** Finds a code fence with a call at the beginning of the text. */
export function fencedAt(text: string, openerAt: (text: string, at: number) => Found): Found {
  const fence = /^(`{1,3})([a-z_]*)([ \t]*)(\r?\n\s{0,20})?/.exec(text);
  if (!fence) return null;
  const [head, ticks = '', label = '', , end] = fence;
  if (head.length < text.length && (ticks.length < 3 || end === undefined)) return null;
  if (label !== '' && !labels.some((one) => (end === undefined ? one.startsWith(label) : one === label))) return null;
  if (head.length === text.length) return 'more';
  const rest = text.slice(head.length);
  const inner = rest.startsWith('`') ? null : (pythonAt(rest, /^/) ?? openerAt(text, head.length));
  if (inner === null || inner === 'more') return inner;
  return inner.kind === 'results' ? null : { kind: 'fence', length: head.length + inner.length };
}

/** Finds the beginning of a Python call, such as `read_file(`, after a match of `before`. */
function pythonAt(text: string, before: RegExp): Found {
  const [start] = before.exec(text) ?? [];
  if (start === undefined) return null;
  const rest = text.slice(start.length, start.length + 70);
  if (/^[A-Za-z_][\w.]{0,63}\(/.test(rest)) return { kind: 'bare', length: 0 };
  return /^(?:[A-Za-z_][\w.]{0,63})?$/.test(rest) && start.length + rest.length === text.length ? 'more' : null;
}
