import { UnreadableCallError } from '../../services/model/client/ollamaErrors';
import { AgentError } from '../kernel/agentError';
import type { RequestedCall } from '../kernel/requestedCall';
import type { Prompt } from '../context/contextFitter';
import type { AskedCall, StreamedAnswer } from '../stream/streamProcessor';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';
import { mostWritten, type BrokenCall } from './callRepair';

/** Problem of a call that the token limit has ended, for the model. */
export const endless = 'the call did not come to an end. Make it shorter';

/** Call that is not in the log yet, since it cannot be run, and the reason for the model. */
export interface HeldCall {
  call: RequestedCall;
  problem: string;
}

/** Asks for broken calls again, once in a turn. */
export class RepairOnce {
  isUsed = false;

  constructor(
    private readonly requester: { repairCalls(question: Prompt, broken: BrokenCall): Promise<AskedCall[]> },
    private readonly prompt: Prompt,
    private readonly report: () => void,
  ) {}

  /** Resolves with the calls that the model meant; empty if it gives none that fit, and after the first time. */
  async callsFor(broken: BrokenCall): Promise<AskedCall[]> {
    if (this.isUsed || this.prompt.tools.isEmpty) return [];
    this.isUsed = true;
    this.report();
    return this.requester.repairCalls(this.prompt, broken);
  }
}

/** Returns why a call cannot be run as the model wrote it; null if it can be run, and for an unknown tool. */
export function problemOf({ name, input, problem }: RequestedCall, tools: ToolRegistry): string | null {
  if (problem !== undefined) return problem;
  const prepared = tools.get(name)?.prepare(input);
  return prepared === undefined || prepared.isValid ? null : prepared.problem;
}

/** Joins calls to be asked for together: as many of the first as can be shown to the model whole, and at least one. */
export function joinedCalls(held: readonly HeldCall[]): BrokenCall & { count: number } {
  const texts = held.map(({ call }) => call.written ?? JSON.stringify({ name: call.name, arguments: call.input }));
  let count = 1;
  while (count < held.length && texts.slice(0, count + 1).join('\n').length <= mostWritten) count += 1;
  const problem = held
    .slice(0, count)
    .map((one) => one.problem)
    .join('\n');
  return { problem, written: texts.slice(0, count).join('\n'), count };
}

/** Returns the call that was lost with an answer; null for any other failure. */
export function lostCall(error: unknown): BrokenCall | null {
  if (error instanceof UnreadableCallError) return { problem: error.problem, written: null };
  return error instanceof AgentError && error.code === 'answerLimit' ? { problem: endless, written: null } : null;
}

/** Builds an answer that consists of repaired calls. */
export function repairedAnswer(calls: number): StreamedAnswer {
  return {
    ...{ hasText: false, hasThinking: false, calls, isMarkedComplete: false, isRepeating: false },
    ...{ doneReason: 'stop', characters: 0, limit: null, stats: {} },
  };
}
