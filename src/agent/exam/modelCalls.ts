import { receivedCall } from '../stream/readCalls';
import { ToolCallParser } from '../stream/toolCallParser';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';
import type { RecordedAnswer } from './examClient';

/** Call exactly as the model wrote it, before any repair. */
export interface ModelCall {
  /** Index of the answer that contains the call. */
  answer: number;
  form: 'native' | 'printed';
  name: string;
  input: Record<string, unknown>;
  /** Text of the call, or its JSON for a readable native call. */
  written: string;
  /** Reason why the call is unreadable, or the fixes that it needed. Null for a valid call. */
  problem: string | null;
  isReadable: boolean;
}

/** Returns the calls of all answers in order, except calls from repair requests. */
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
    return { answer, form: 'native', name, input, written, problem: unreadable?.problem ?? null, isReadable: !unreadable };
  });
}

function printedCalls({ text }: RecordedAnswer, answer: number, tools: ToolRegistry): ModelCall[] {
  const known = readPrinted(text, answer, (name) => tools.resolve(name) !== undefined);
  // The agent treats a call to an unknown tool as text.
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
