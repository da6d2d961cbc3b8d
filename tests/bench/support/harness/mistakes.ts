import { claimIn } from '../../../../src/agent/loop/claims';
import type { Scripted } from '../../../support/ollama/doubleReply';
import { claimsOfWork } from '../../../unit/agent/support/claimCorpus';
import { surroundings } from '../../../unit/agent/support/callSurroundings';
import { json, type ExampleCall } from '../../../unit/agent/support/writeCalls';
import { pick, randomFrom, slips, type SlipKind } from '../../../unit/agent/tools/edits/editSlips';
import type { Family } from './families';
import type { EditStep } from './tasks';

/** Mistake of a model in a task. `invented`: edits text that is not in the file. `fenced`: shows its call in a code block. */
export const habits = ['none', 'slip', 'broken', 'loop', 'invented', 'claim', 'fenced'] as const;
export type Habit = (typeof habits)[number];

/** Mistakes in nine consecutive tasks. */
const course: readonly Habit[] = ['none', 'slip', 'broken', 'loop', 'slip', 'invented', 'claim', 'none', 'fenced'];

/** Returns the mistake of a family in a task, so that each family makes all mistakes in all kinds of tasks. */
export function habitOf(family: number, task: number): Habit {
  return course[(task * 2 + family) % course.length] ?? 'none';
}

/** Slips that a model repeats in every text, because they come from its writing and not from its reading. */
const lasting: readonly SlipKind[] = ['quotes', 'escapes', 'lineEnds'];

export function isLasting(slip: SlipKind): boolean {
  return lasting.includes(slip);
}

type Copy = Pick<EditStep, 'old' | 'made'>;

/** Returns the lines of an edit with a slip of this kind, or the correct lines if the slip is not possible. */
export function slipped({ old, made, above }: EditStep, kind: SlipKind, seed: number): Copy {
  const changed = old.length - 1;
  return slips[kind](old, { made: [...made], changed, how: 'change' }, randomFrom(seed), above) ?? { old, made };
}

/** Returns the lines of an edit from a model that guesses the file's content. */
export function invented({ old, made }: EditStep): Copy {
  const wrong = (lines: readonly string[]): string[] =>
    lines.map((line, at) => (at === old.length - 2 ? `${line}  # as above` : line));
  return { old: [...wrong(old).slice(0, -1), '    raise NotImplementedError("later")'], made: wrong(made) };
}

/** Formats an edit as a call of its tool. */
export function editCall(step: EditStep, { old, made }: Copy): ExampleCall {
  const { tool, path, added } = step;
  if (tool === 'replace_in_file') return { name: tool, arguments: { path, oldText: old.join('\n'), newText: made.join('\n') } };
  const body = step.made.slice(step.old.length - 1);
  const isOneLine = old.length === 1 && step.old.length > 1;
  const context = isOneLine ? step.old : old;
  const adding =
    added === undefined ? [] : [`*** Add File: ${added.path}`, ...added.content.split('\n').map((line) => `+${line}`)];
  const patch = [
    ...['*** Begin Patch', ...adding, `*** Update File: ${path}`, '@@'],
    ...context.slice(0, -1).map((line) => ` ${line}`),
    ...[`-${context.at(-1) ?? ''}`, ...body.map((line) => `+${line}`), '*** End Patch'],
  ].join('\n');
  return { name: tool, arguments: { patch: isOneLine ? JSON.stringify(patch).slice(1, -1) : patch } };
}

/** Returns an answer with a call as the family writes it. `count`: number of the call, which decides if it is printed as text. */
export function written(call: ExampleCall, { dialect, hasTools, prints }: Family, count: number): Scripted {
  if (hasTools && count % prints !== 0) return [{ call }];
  const places = surroundings(dialect);
  return places[count % places.length]?.wrap(dialect.write([call])) ?? '';
}

/** Returns an answer with a call that cannot be run, broken as the family breaks calls. */
export function broken(call: ExampleCall, family: Family, count: number): Scripted {
  const [, ...rest] = Object.entries(call.arguments);
  switch (family.broken) {
    case 'missing':
      return written(
        { ...call, arguments: { colour: 'red', ...Object.fromEntries(rest) } },
        { ...family, prints: 2 },
        count * 2 + 1,
      );
    case 'garbled':
      return `<tool_call>\n${json(call).replace(/("arguments":\{"\w+"):/, '$1 ')}\n</tool_call>`;
    case 'unread':
      return [{ error: `error parsing tool call: raw='${json(call).slice(0, 40)}', err=invalid character '}' after object key` }];
    case 'endless':
      return [{ endless: call, tokenMs: 0 }];
  }
}

/** Returns an answer that shows a call in a code block, after text that may or may not announce the call. */
export function fenced(call: ExampleCall, count: number): string {
  const words = count % 2 === 0 ? 'I call the tool now:' : 'This is it:';
  return `${words}\n\n\`\`\`json\n${json(call)}\n\`\`\``;
}

/** Returns an answer that claims the work of a call is done, from the corpus of claims. */
export function claimed({ name }: ExampleCall, seed: number): string {
  const kind = name === 'run_terminal_command' ? 'run' : 'written';
  return pick(
    randomFrom(seed),
    claimsOfWork.filter((answer) => claimIn(answer)?.claim === kind),
  );
}
