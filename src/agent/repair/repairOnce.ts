import { UnreadableCallError } from '../../services/model/client/ollamaErrors';
import { AgentError } from '../kernel/agentError';
import type { RequestedCall } from '../kernel/requestedCall';
import type { Prompt } from '../context/contextFitter';
import type { AskedCall, StreamedAnswer } from '../stream/streamProcessor';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';
import { maxWritten, type BrokenCall } from './callRepair';

/** Error message for the model about a call that reached the token limit. */
export const endless = 'the call did not come to an end. Make it shorter';

/** Error message for the model about an empty answer. */
export const emptyProblem: BrokenCall = { problem: 'the answer was empty', written: null };

/** Returns the problem of a call that the model showed as an example but did not make. */
export function shownCallProblem(written: string): BrokenCall {
  return { problem: 'the call was only shown, so nothing was run', written };
}

/** Call that cannot run and is not yet in the log, with the error message for the model. */
export interface HeldCall {
  call: RequestedCall;
  problem: string;
}

/** Requests broken calls again, but only once per turn. */
export class RepairOnce {
  isUsed = false;

  constructor(
    private readonly requester: { repairCalls(question: Prompt, broken: BrokenCall): Promise<AskedCall[]> },
    private readonly prompt: Prompt,
    private readonly report: () => void,
  ) {}

  /** Resolves with the repaired calls. Resolves with no calls if none are valid, or if this is not the first use in the turn. */
  async callsFor(broken: BrokenCall): Promise<AskedCall[]> {
    if (this.isUsed || this.prompt.tools.isEmpty) return [];
    this.isUsed = true;
    this.report();
    return this.requester.repairCalls(this.prompt, broken);
  }
}

/** Returns the reason why a call cannot run. Returns null if the call can run or the tool is unknown. */
export function findCallProblem({ name, input, problem }: RequestedCall, tools: ToolRegistry): string | null {
  if (problem !== undefined) return problem;
  const prepared = tools.get(name)?.prepare(input);
  return prepared === undefined || prepared.isValid ? null : prepared.problem;
}

/** Combines calls for one request. Always includes the first call, then further calls while they fit completely into the prompt. */
export function joinedCalls(held: readonly HeldCall[]): BrokenCall & { count: number } {
  const texts = held.map(({ call }) => call.written ?? JSON.stringify({ name: call.name, arguments: call.input }));
  let count = 1;
  while (count < held.length && texts.slice(0, count + 1).join('\n').length <= maxWritten) count += 1;
  const problem = held
    .slice(0, count)
    .map((one) => one.problem)
    .join('\n');
  return { problem, written: texts.slice(0, count).join('\n'), count };
}

/** Returns the call that was lost with a failed answer, or null for any other failure. */
export function lostCall(error: unknown): BrokenCall | null {
  if (error instanceof UnreadableCallError) return { problem: error.problem, written: null };
  return error instanceof AgentError && error.code === 'answerLimit' ? { problem: endless, written: null } : null;
}

export function repairedAnswer(calls: number): StreamedAnswer {
  return {
    hasText: false,
    hasThinking: false,
    calls,
    isMarkedComplete: false,
    heldCall: null,
    isRepeating: false,
    doneReason: 'stop',
    characters: 0,
    limit: null,
    stats: {},
  };
}
