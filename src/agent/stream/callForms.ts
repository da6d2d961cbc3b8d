/** Lists the beginnings and ends of the forms in which models print calls. Bars and underscores may also be those of DeepSeek. */

const openers = [
  ...['<tool_call>', '<tool_calls>', '<toolcall>', '<function_call>', '<function_calls>', '<tools>'],
  ...['<|tool_call|>', '<|tool_calls|>', '<|python_tag|>', '[TOOL_CALLS]'],
  ...['<|tool_calls_begin|>', '<|tool_call_begin|>'],
];
/** These are the beginning of the call's own text. */
const inlineOpeners = ['<function=', '<function name=', '<invoke name='];
/** Beginnings of made-up results, which some models write after their calls. */
const resultOpeners = [
  '<tool_response>',
  '<tool_response ',
  '<|tool_response|>',
  '[TOOL_RESULTS]',
  '<|tool_outputs_begin|>',
  '<tool_result>',
];
const closers = [
  ...[
    '</tool_call>',
    '</tool_calls>',
    '</toolcall>',
    '</function_call>',
    '</function_calls>',
    '</tools>',
    '</function>',
    '</invoke>',
  ],
  ...['<|/tool_call|>', '<|/tool_calls|>', '<|tool_call_end|>', '<|tool_calls_end|>', '[/TOOL_CALLS]'],
  ...['<|eom_id|>', '<|eot_id|>', '<|im_end|>', '<|end_of_text|>', '<|end_of_sentence|>', '</s>'],
];
const longest = Math.max(...[...openers, ...inlineOpeners, ...resultOpeners, ...closers].map(({ length }) => length));

/** The length of a text found at the beginning of another; `more`: it is still possible when more comes. */
type Found = number | 'more' | null;

export interface Opener {
  /** `tagged`: nothing but a call looks like that. `bare`: plain JSON, maybe in a fence, which may be an example as well. */
  kind: 'tagged' | 'bare' | 'results';
  /** Number of characters that it takes of the text. */
  length: number;
}

/** Finds the opener at `at`. `isFirst`: nothing has been said before it. `isLineStart`: it begins its line. */
export function openerAt(text: string, at: number, place: { isFirst: boolean; isLineStart: boolean }): Opener | 'more' | null {
  const rest = plain(text.slice(at, at + longest));
  const tagged = startOf(rest, openers);
  if (tagged !== null) return tagged === 'more' ? tagged : { kind: 'tagged', length: tagged };
  const inline = startOf(rest, inlineOpeners);
  if (inline !== null) return inline === 'more' ? inline : { kind: 'tagged', length: 0 };
  const results = startOf(rest, resultOpeners);
  if (results !== null) return results === 'more' ? results : { kind: 'results', length: results };
  if (!place.isLineStart) return null;
  const whole = text.slice(at, at + 120);
  if (/^[[{]/.test(whole)) return bareAt(whole, 0);
  return place.isFirst ? fencedAt(whole) : null;
}

/** Characters with which a form can begin. */
export const openingCharacters = /[<[{`]/g;

/** Finds the closer at the beginning of the text. */
export function closerAt(text: string): Found {
  const rest = plain(text.slice(0, longest));
  const found = startOf(rest, closers);
  if (found !== null) return found;
  if (rest.startsWith('```')) return 3;
  return '```'.startsWith(rest) ? 'more' : null;
}

/** Returns the index of a closer anywhere in the text, or -1. */
export function closerIn(text: string): number {
  const found = closers.map((closer) => text.indexOf(closer)).filter((at) => at >= 0);
  return found.length === 0 ? -1 : Math.min(...found);
}

/** Replaces DeepSeek's own signs by plain ones, each by one. */
export function plain(text: string): string {
  return text
    .replaceAll('｜', '|')
    .replaceAll('▁', '_')
    .replace(/^<\|(tool) (calls?) (begin|end)\|>/, '<|$1_$2_$3|>');
}

const firstKeys = ['name', 'function', 'tool', 'tool_name', 'type', 'id', 'arguments', 'parameters', 'tool_call', 'tool_calls'];

function bareAt(text: string, from: number): Opener | 'more' | null {
  const head = /^\[?\s{0,20}(?:\{\s{0,20}(?:"([a-z_]*)("?))?)?/.exec(text.slice(from));
  if (!head || head[0] === '') return null;
  const [matched, key, quote] = head;
  const isAll = from + matched.length === text.length;
  if (key === undefined) return isAll ? 'more' : null;
  if (quote === '') return isAll && firstKeys.some((one) => one.startsWith(key)) ? 'more' : null;
  return firstKeys.includes(key) ? { kind: 'bare', length: 0 } : null;
}

function fencedAt(text: string): Opener | 'more' | null {
  const fence = /^(`{1,3})([a-z_]*)([ \t]*)(\r?\n\s{0,20})?/.exec(text);
  if (!fence) return null;
  const [head, ticks = '', label = '', , end] = fence;
  const labels = ['json', 'tool_call', 'tool_code', 'tool', 'xml'];
  if (head.length < text.length && (ticks.length < 3 || end === undefined)) return null;
  if (label !== '' && !labels.some((one) => (end === undefined ? one.startsWith(label) : one === label))) return null;
  if (head.length === text.length) return 'more';
  const inner = openerAt(text, head.length, { isFirst: false, isLineStart: true });
  if (inner === null || inner === 'more') return inner;
  return inner.kind === 'results' ? null : { kind: 'bare', length: head.length + inner.length };
}

function startOf(text: string, beginnings: readonly string[]): Found {
  let isPossible = false;
  for (const one of beginnings) {
    if (text.startsWith(one)) return one.length;
    if (text !== '' && one.startsWith(text)) isPossible = true;
  }
  return isPossible ? 'more' : null;
}
