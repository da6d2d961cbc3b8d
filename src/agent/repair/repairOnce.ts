import { UnreadableCallError } from '../../services/model/client/ollamaErrors';
import { AgentError } from '../kernel/agentError';
import type { ModelRequester } from '../loop/modelRequester';
import type { RequestedCall } from '../loop/toolRunner';
import type { Prompt } from '../context/contextFitter';
import type { AskedCall, StreamedAnswer } from '../stream/streamProcessor';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';
import type { BrokenCall } from './callRepair';

/** Problem of a call that a limit has ended, in words for the model. */
export const endless = 'the call did not come to an end. Make it shorter';

/** Asks for a broken call again, once in a turn. */
export class RepairOnce {
  isUsed = false;

  constructor(
    private readonly requester: Pick<ModelRequester, 'repairCall'>,
    private readonly prompt: Prompt,
    private readonly report: () => void,
  ) {}

  /** Resolves with a call that fits; null where there is none, or where it was asked for already. */
  async of(broken: BrokenCall): Promise<AskedCall | null> {
    if (this.isUsed || this.prompt.tools.isEmpty) return null;
    this.isUsed = true;
    this.report();
    return this.requester.repairCall(this.prompt, broken);
  }
}

/** Returns why a call cannot be run as the model wrote it; null where it can, or where there is no such tool. */
export function problemOf({ name, input, problem }: RequestedCall, tools: ToolRegistry): string | null {
  if (problem !== undefined) return problem;
  const prepared = tools.get(name)?.prepare(input);
  return prepared === undefined || prepared.isValid ? null : prepared.problem;
}

/** Returns the call that was lost with an answer; null for any other failure. */
export function lostCall(error: unknown): BrokenCall | null {
  if (error instanceof UnreadableCallError) return { problem: error.problem, written: null };
  return error instanceof AgentError && error.code === 'answerLimit' ? { problem: endless, written: null } : null;
}

/** Builds the answer that a repaired call stands for. */
export function repairedAnswer(): StreamedAnswer {
  return {
    ...{ hasText: false, hasThinking: false, calls: 1, isMarkedComplete: false, isRepeating: false },
    ...{ doneReason: 'stop', characters: 0, limit: null, stats: {} },
  };
}
