import { UnreadableCallError } from '../../services/model/client/ollamaErrors';
import type { ModelInfo } from '../../types/model';
import type { ChatChunk, ChatRequest, ThinkValue, WireMessage, ReceivedToolCall } from '../../types/ollama';
import { estimatedTokens } from '../../types/tokenLength';
import { AppError, messageOf } from '../../utils/errors';
import type { ChatClient } from '../kernel/ports';

/** Limits in tokens for all requests of a task together. */
export interface ExamBudget {
  prompt: number;
  answer: number;
}

/** Answer of the model to one request, before any processing. */
export interface RecordedAnswer {
  /** True if the request enforced a schema to repair a call. */
  isRepair: boolean;
  messages: readonly WireMessage[];
  text: string;
  thinking: string;
  calls: ReceivedToolCall[];
  /** True if the server sent the whole answer. */
  isComplete: boolean;
  doneReason: string | undefined;
  promptTokens: number;
  /** Tokens of the prompt, estimated from its length. The estimate does not include the model's chat template. */
  estimated: number;
  answerTokens: number;
  /** Duration in milliseconds. */
  answerMs: number;
  /** Maximum tokens of the answer, as set in the request. */
  limit: number;
  error?: { message: string; isUnreadableCall: boolean };
}

/** Thrown if the next request would exceed the token budget of a task. */
export class ExamBudgetError extends AppError {
  readonly code = 'examBudget';

  constructor() {
    super('The tokens of the task are used up', 'The tokens of the task are used up.');
  }
}

/** Fixed seed, so that a model repeats its answers in every exam. */
const seed = 1;
const nanosecondsPerMillisecond = 1_000_000;

/** Client that makes answers repeatable, limits their tokens and records them. */
export class ExamClient implements ChatClient {
  readonly answers: RecordedAnswer[] = [];
  /** True if a request was rejected because of the token budget. */
  isUsedUp = false;
  /** Last failure of the server. */
  failure: unknown;

  constructor(
    private readonly client: ChatClient,
    private readonly model: Pick<ModelInfo, 'thinking'>,
    private readonly budget: ExamBudget,
  ) {}

  async load(...asked: Parameters<ChatClient['load']>): Promise<void> {
    try {
      await this.client.load(...asked);
    } catch (error) {
      this.failure = error;
      throw error;
    }
  }

  async *chat(asked: ChatRequest, options: Parameters<ChatClient['chat']>[1]): AsyncGenerator<ChatChunk> {
    const used = this.used();
    const left = this.budget.answer - used.answer;
    const size = promptSize(asked);
    if (this.answers.length > 0 && (left <= 0 || used.prompt + size > this.budget.prompt)) {
      this.isUsedUp = true;
      throw new ExamBudgetError();
    }
    const request: ChatRequest = { ...asked, options: { ...asked.options, temperature: 0, seed, num_predict: left } };
    if (request.think !== undefined) request.think = shortestThinking(this.model);
    const answer: RecordedAnswer = {
      isRepair: request.format !== undefined,
      messages: request.messages,
      text: '',
      thinking: '',
      calls: [],
      isComplete: false,
      doneReason: undefined,
      promptTokens: size,
      estimated: size,
      answerTokens: 0,
      answerMs: 0,
      limit: left,
    };
    this.answers.push(answer);
    try {
      for await (const chunk of this.client.chat(request, options)) {
        record(answer, chunk);
        yield chunk;
      }
    } catch (error) {
      this.failure = error;
      answer.error = { message: messageOf(error), isUnreadableCall: error instanceof UnreadableCallError };
      throw error;
    } finally {
      // The server reports no tokens for an incomplete answer.
      if (answer.answerTokens === 0) answer.answerTokens = estimatedTokens(answer.text + answer.thinking);
    }
  }

  private used(): ExamBudget {
    const sum = (of: (answer: RecordedAnswer) => number) => this.answers.reduce((all, answer) => all + of(answer), 0);
    return { prompt: sum(({ estimated }) => estimated), answer: sum(({ answerTokens }) => answerTokens) };
  }
}

function record(answer: RecordedAnswer, chunk: ChatChunk): void {
  answer.text += chunk.message.content;
  answer.thinking += chunk.message.thinking ?? '';
  answer.calls.push(...(chunk.message.tool_calls ?? []));
  if (!chunk.done) return;
  answer.isComplete = true;
  answer.doneReason = chunk.done_reason;
  answer.promptTokens = chunk.prompt_eval_count ?? answer.promptTokens;
  answer.answerTokens = chunk.eval_count ?? 0;
  answer.answerMs = Math.round((chunk.eval_duration ?? 0) / nanosecondsPerMillisecond);
}

function promptSize({ messages, tools, format }: ChatRequest): number {
  const words = messages.map(({ content, tool_calls: calls }) => content + (calls ? JSON.stringify(calls) : ''));
  return estimatedTokens(words.join('\n') + JSON.stringify(tools ?? []) + (format === undefined ? '' : JSON.stringify(format)));
}

/**
 * Returns the lowest thinking level, because the token budget is too
 * small for long thinking. Some models cannot turn thinking off.
 */
function shortestThinking({ thinking }: Pick<ModelInfo, 'thinking'>): ThinkValue {
  const values = thinking?.values ?? [];
  if (values.length === 0 || values.includes(false)) return false;
  return values.includes('low') ? 'low' : (values[0] ?? false);
}
