import { fencedAt, plainAt, type Opener } from './bareForms';

/**
 * Beginnings and ends of calls in the text of models, taken from their published
 * chat templates. DeepSeek's variants of bars and underscores match too.
 */

/** Special tokens of a vocabulary. A model does not write them by accident. */
const tokens = [
  // Mistral · DeepSeek, Step 3 · Kimi
  ...['[TOOL_CALLS]', '<|tool_calls_begin|>', '<|tool_call_begin|>', '<|tool_calls_section_begin|>'],
  // Granite, Phi 4 · Gemma · LFM2 · Llama
  ...['<|tool_call|>', '<|tool_calls|>', '<|tool_call>', '<start_function_call>', '<|tool_call_start|>'],
  ...['<|python_tag|>', '<|python_start|>'],
  // InternLM · Apertus · Command R7B · GigaChat 3.1 · Nemotron
  ...['<|action_start|>', '<|tools_prefix|>', '<|START_ACTION|>', '<|function_call|>', '<TOOLCALL>'],
  // DeepSeek's markup
  ...['<|DSML|function_calls>', '<|DSML|tool_calls>'],
  // gpt-oss
  ...['<|channel|>commentary to=', '<|start|>assistant<|channel|>commentary to=', '<|start|>assistant to='],
  ...['<|start|>assistantcommentary to='],
];
const tags = [
  ...['<tool_call>', '<tool_calls>', '<toolcall>', '<function_call>', '<function_calls>', '<tools>'],
  // MiniMax M2 · Seed OSS · LongCat · dots · Glimmer
  ...['<minimax:tool_call>', '<seed:tool_call>', '<longcat_tool_call>', '<dots_function_call>', '<atem:function_calls>'],
];
/** Opening tokens that are parsed as part of the call. */
const inlineTokens = ['<|DSML|invoke name='];
const inlineTags = ['<function=', '<function name=', '<invoke name=', '<steptml:invoke name=', '<atem:invoke name='];
/** Words and the length of their opener: gpt-oss without its tokens · Phi 4 mini · GigaChat 3. */
const words: Readonly<Record<string, number>> = {
  'commentary to=functions.': 'commentary to='.length,
  'assistantcommentary to=functions.': 'assistantcommentary to='.length,
  'functools[': 'functools'.length,
  'function call<|role_sep|>': 'function call<|role_sep|>'.length,
};
/** Beginnings of invented results. Some models write these after their calls. */
const resultOpeners = [
  ...['<tool_response>', '<tool_response ', '<|tool_response|>', '<|tool_response>', '[TOOL_RESULTS]', '<tool_result>'],
  ...['<|tool_outputs_begin|>', '<start_function_response>'],
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
  ...['</minimax:tool_call>', '</seed:tool_call>', '</longcat_tool_call>', '</dots_function_call>', '</TOOLCALL>'],
  ...['</atem:function_calls>', '</atem:invoke>', '</steptml:invoke>'],
  ...['</|DSML|function_calls>', '</|DSML|tool_calls>', '</|DSML|invoke>'],
  ...['<|/tool_call|>', '<|/tool_calls|>', '<|tool_call_end|>', '<|tool_calls_end|>', '[/TOOL_CALLS]', '<tool_call|>'],
  ...[
    '<|tool_calls_section_end|>',
    '<end_function_call>',
    '<|python_end|>',
    '<|action_end|>',
    '<|tools_suffix|>',
    '<|END_ACTION|>',
  ],
  ...[
    '<|call|>',
    '<|end|>',
    '<|return|>',
    '<|eom_id|>',
    '<|eot_id|>',
    '<|im_end|>',
    '<|end_of_text|>',
    '<|end_of_sentence|>',
    '</s>',
  ],
  ...['<end_of_turn>', '<|END_OF_TURN_TOKEN|>', '<|assistant_end|>'],
];
/** Separator between two calls of Step 3. In a head, the tool name follows it. */
const separator = '<|tool_sep|>';
const longest = Math.max(
  ...[...tokens, ...tags, ...inlineTokens, ...inlineTags, ...Object.keys(words), ...resultOpeners, ...closers].map(
    ({ length }) => length,
  ),
);

/** Length of a match at the beginning of a text. `more` means that more text is needed to decide. */
type Found = number | 'more' | null;

/** Forms by their beginnings. The first match counts. `isInline` means that the beginning is part of the call. */
const forms: readonly { kind: Opener['kind']; beginnings: readonly string[]; isInline: boolean }[] = [
  { kind: 'token', beginnings: tokens, isInline: false },
  { kind: 'token', beginnings: inlineTokens, isInline: true },
  { kind: 'tag', beginnings: tags, isInline: false },
  { kind: 'tag', beginnings: inlineTags, isInline: true },
  { kind: 'results', beginnings: resultOpeners, isInline: false },
];

/** Characters that can begin a form. */
export const openingCharacters = /[<[{`]|\b[acf]/g;

export function openerAt(text: string, at: number): Opener | 'more' | null {
  const sign = text[at] ?? '';
  if (/[acf]/.test(sign)) return wordAt(text.slice(at, at + longest));
  if (sign === '<' || sign === '[') {
    const rest = plainForm(text.slice(at, at + longest));
    let isPossible = false;
    for (const { kind, beginnings, isInline } of forms) {
      const found = findStart(rest, beginnings);
      if (found === 'more') isPossible = true;
      else if (found !== null) return { kind, length: isInline ? 0 : found };
    }
    if (isPossible) return 'more';
  }
  const whole = text.slice(at, at + 120);
  if (sign === '`') return fencedAt(whole, openerAt);
  return sign === '<' ? null : plainAt(whole);
}

export function closerAt(text: string): Found {
  const rest = plainForm(text.slice(0, longest));
  const found = findStart(rest, closers);
  if (found !== null) return found;
  if (rest.startsWith('```')) return 3;
  return '```'.startsWith(rest) ? 'more' : null;
}

export function closerAfterValueAt(text: string): Found {
  const found = closerAt(text);
  return found ?? findStart(plainForm(text.slice(0, longest)), [separator]);
}

/** Returns the index of the first closing tag, or -1. */
export function closerIn(text: string): number {
  const found = closers.map((closer) => text.indexOf(closer)).filter((at) => at >= 0);
  return found.length === 0 ? -1 : Math.min(...found);
}

/** Replaces DeepSeek's bars and underscores with ASCII characters of the same length. */
export function plainForm(text: string): string {
  return text
    .replaceAll('｜', '|')
    .replaceAll('▁', '_')
    .replace(/^<\|(tool) (calls?) (begin|end)\|>/, '<|$1_$2_$3|>');
}

function wordAt(rest: string): Opener | 'more' | null {
  const found = findStart(rest, Object.keys(words));
  if (typeof found !== 'number') return found;
  return { kind: 'word', length: words[rest.slice(0, found)] ?? found };
}

function findStart(text: string, beginnings: readonly string[]): Found {
  let isPossible = false;
  for (const one of beginnings) {
    if (text.startsWith(one)) return one.length;
    if (text !== '' && one.startsWith(text)) isPossible = true;
  }
  return isPossible ? 'more' : null;
}
