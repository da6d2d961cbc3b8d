import { receivedCall } from '../stream/readCalls';
import { ToolCallParser } from '../stream/toolCallParser';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';
import type { RecordedAnswer } from './examClient';

/** Call as a model wrote it, before any repair. */
export interface ModelCall {
  /** Index of the answer with the call. */
  answer: number;
  form: 'native' | 'printed';
  name: string;
  input: Record<string, unknown>;
  /** Text of the call; for a readable native call its JSON. */
  written: string;
  /** Reason why the call cannot be read, or fixes that it needed; null for a valid call. */
  problem: string | null;
  isReadable: boolean;
}

/** Returns the calls of all answers in order. Calls of a repair are left out. */
export function modelCalls(answers: readonly RecordedAnswer[], tools: ToolRegistry): ModelCall[] {
  return answers.flatMap((answer, at) =>
    answer.isRepair ? [] : [...nativeCalls(answer, at), ...printedCalls(answer, at, tools)],
  );
}

function nativeCalls({ calls }: RecordedAnswer, answer: number): ModelCall[] {
  return calls.map((call) => {
    const { name, input, unreadable } = receivedCall(call);
    const { arguments: given } = call.function;
    const written = unreadable?.written ?? (typeof given === 'string' ? given : JSON.stringify({ name, arguments: given }));
    return { ...{ answer, form: 'native', name, input, written }, problem: unreadable?.problem ?? null, isReadable: !unreadable };
  });
}

function printedCalls({ text }: RecordedAnswer, answer: number, tools: ToolRegistry): ModelCall[] {
  const known = readPrinted(text, answer, (name) => tools.resolve(name) !== undefined);
  // A call of an unknown tool is text for the agent.
  return known.length > 0 ? known : readPrinted(text, answer, () => true).filter(({ name }) => /^[a-z]\w*_\w+$/i.test(name));
}

function readPrinted(text: string, answer: number, isTool: (name: string) => boolean): ModelCall[] {
  const parser = new ToolCallParser(isTool);
  return [...parser.push(text), ...parser.flush()].flatMap((piece): ModelCall[] => {
    if (piece.kind !== 'call') return [];
    const { name, input, repairs, unreadable } = piece.call;
    const written = unreadable?.written ?? JSON.stringify({ name, arguments: input });
    const problem = unreadable?.problem ?? (repairs?.length ? repairs.join(', ') : null);
    return [{ answer, form: 'printed', name, input, written, problem, isReadable: unreadable === undefined }];
  });
}
