import type { GenerationRequest } from './doubleReply';

/** A raw prompt, split at the fill-in-the-middle tokens of its model family. */
export interface FimPrompt {
  prefix: string;
  suffix: string;
}

/** The three tokens in the order in which a prompt contains them. With `suffixFirst`, the suffix comes before the prefix. */
const families: readonly { start: string; between: string; end: string; suffixFirst?: true }[] = [
  { start: '<|fim_prefix|>', between: '<|fim_suffix|>', end: '<|fim_middle|>' },
  { start: '<fim_prefix>', between: '<fim_suffix>', end: '<fim_middle>' },
  { start: '<fim_suffix>', between: '<fim_prefix>', end: '<fim_middle>', suffixFirst: true },
  { start: '<PRE> ', between: ' <SUF>', end: ' <MID>' },
  { start: '<｜fim▁begin｜>', between: '<｜fim▁hole｜>', end: '<｜fim▁end｜>' },
  { start: '<fim-prefix>', between: '<fim-suffix>', end: '<fim-middle>' },
  { start: '<|code_prefix|>', between: '<|code_suffix|>', end: '<|code_middle|>' },
  { start: '<|code_suffix|>', between: '<|code_prefix|>', end: '<|code_middle|>', suffixFirst: true },
  { start: '<[fim-suffix]>', between: '<[fim-prefix]>', end: '<[fim-middle]>', suffixFirst: true },
  { start: '[SUFFIX]', between: '[PREFIX]', end: '', suffixFirst: true },
];

/** Splits a fill-in-the-middle prompt, either raw or with a `suffix`. Returns undefined for other prompts. */
export function fimPromptOf({ prompt, suffix, body }: GenerationRequest): FimPrompt | undefined {
  if (suffix !== '' && body.raw !== true) return { prefix: prompt, suffix };
  for (const { start, between, end, suffixFirst } of families) {
    const at = prompt.indexOf(start);
    const middle = prompt.indexOf(between, at);
    if (at < 0 || middle < 0) continue;
    const first = prompt.slice(at + start.length, middle);
    const second = prompt.slice(middle + between.length, end === '' ? undefined : prompt.lastIndexOf(end));
    return suffixFirst ? { prefix: second, suffix: first } : { prefix: first, suffix: second };
  }
  return undefined;
}

/** Returns the completion of a small code model for the gaps in the extension's self-test. Returns undefined for other prompts. */
export function probeReply(request: GenerationRequest): string | undefined {
  const { prefix = '', suffix = '' } = fimPromptOf(request) ?? {};
  if (prefix.endsWith('return first + ') && suffix.startsWith(';')) return 'second;\n}';
  if (prefix.endsWith('const area = ')) return 'width * height;\n';
  return prefix.endsWith('def is_odd(number):\n    return ') ? 'not is_even(number)\n' : undefined;
}

/** Returns the completion of a perfect model: the text between a prompt's prefix and its suffix. */
export function perfectMiddle(request: GenerationRequest, texts: readonly string[]): string {
  const fim = fimPromptOf(request);
  if (fim === undefined) return '';
  const proof = probeReply(request);
  if (proof !== undefined) return proof;
  const tail = fim.prefix.slice(-200);
  for (const text of texts) {
    const at = tail === '' ? 0 : text.indexOf(tail);
    if (at < 0) continue;
    const from = at + tail.length;
    const end = fim.suffix.trim() === '' ? text.length : text.indexOf(fim.suffix.slice(0, 200), from);
    return text.slice(from, end < 0 ? text.length : end);
  }
  return '';
}
