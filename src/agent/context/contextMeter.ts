import {
  contextUse,
  promptSize,
  type ContextInput,
  type ContextMeasure,
  type ContextUse,
  type LoadedModel,
} from '../../protocol/contextUse';
import type { Entry } from '../../protocol/entries';
import { findModel } from '../../types/modelNames';
import type { ModelInfo } from '../../types/model';
import type { ChatRequest } from '../../types/ollama';
import type { ChatMode } from '../../types/modes';
import type { Disposable } from '../../utils/disposable';
import { Emitter } from '../../utils/emitter';
import type { Logger } from '../../utils/logger';
import { findAgentName } from '../prompt/chosenAgent';
import { offeredTools, toolState } from '../prompt/offeredTools';
import type { ModelSource } from '../kernel/ports';
import type { WorkspacePort } from '../../services/files/workspacePorts';
import type { TokenLengths } from './tokenLengths';
import type { RequestBuilder } from '../prompt/requestBuilder';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';

export interface ContextQuestion {
  /** Session of the chat, or null for a chat without messages. */
  sessionId: string | null;
  mode: ChatMode;
  model: string;
  entries: readonly Entry[];
  /** Estimated characters of the attachments in the message draft. */
  draft?: number;
  /** Returns the state of a model in the server's memory, or null. */
  loaded: (model: string) => LoadedModel | null;
}

/** Request that will be sent next. */
export interface NextRequest {
  sessionId: string | null;
  mode: ChatMode;
  model: ModelInfo;
  tools: ToolRegistry;
  entries: readonly Entry[];
}

/** Size of the next request. All values except `characters` are tokens. */
export interface PromptSize {
  characters: number;
  tokens: number;
  /** True if `tokens` is based on a token count from the server. */
  isMeasured: boolean;
  window: number;
}

/** Measures how full the context window is. Uses the server's last count and an estimate of the text that was added later. */
export class ContextMeter implements Disposable {
  /** Newest measurement by session, with its model. An answer without text has no entry, so the log lacks its measurement. */
  private readonly measures = new Map<string, ContextMeasure & { model: string }>();
  private readonly emitter: Emitter<{ sessionId: string }>;

  constructor(
    private readonly models: Pick<ModelSource, 'list'>,
    private readonly requests: RequestBuilder,
    private readonly tools: { registry: ToolRegistry; workspace: WorkspacePort },
    private readonly tokenLengths: TokenLengths,
    private readonly logger: Logger,
  ) {
    this.emitter = new Emitter((error) => logger.error('A listener of the context failed', error));
  }

  /** Fires after the server has measured an answer. */
  get onDidMeasure() {
    return this.emitter.event;
  }

  record(sessionId: string, measure: ContextMeasure & { model: string }): void {
    const { reused, changed } = measure;
    if (reused != null) {
      const why = changed == null ? '' : changed === 'cache' ? ', no longer in the cache' : `, ${changed} changed`;
      this.logger.debug(`Prompt cache: ${Math.floor(reused * 100)} % of the last prompt reused${why}`);
    }
    this.measures.set(sessionId, measure);
    this.emitter.fire({ sessionId });
  }

  noteTokens(model: ModelInfo, request: ChatRequest, promptTokens: number): Promise<void> {
    return this.tokenLengths.note(model, request, promptTokens);
  }

  /** Measures the use of the context window. Resolves with null if the model is missing or not a chat model. */
  async use({ sessionId, mode, model: name, entries, draft = 0, loaded }: ContextQuestion): Promise<ContextUse | null> {
    const model = findModel((await this.models.list()).models, name);
    if (!model?.capabilities.chat) return null;
    const agentName = findAgentName(entries);
    const agent = await this.requests.agentNamed(agentName);
    const here = { ...this.tools, ...toolState(entries), agent, defaults: this.requests.defaultsFor(model) };
    const { tools } = offeredTools(mode, model, await this.requests.windowFor(model), here);
    const offered = tools.names();
    const sent = tools.declaredNames();
    const loadable = offered.filter((tool) => !sent.includes(tool));
    const fitting = offeredTools(mode, model, Infinity, here).tools.names();
    const { request, input } = await this.measured({ sessionId, mode, model, tools, entries });
    const instructions = (await this.requests.instructionsFor(model, agentName)).map(({ shown, isLeftOut, hidden, problem }) => ({
      shown,
      isLeftOut,
      hidden,
      ...(problem !== undefined && { problem }),
    }));
    const reused = input.measured?.reused ?? null;
    const changed = input.measured?.changed ?? null;
    const about = {
      reused,
      changed,
      model: model.name,
      window: request.options.num_ctx,
      loaded: loaded(model.name),
      instructions,
      tools: { sent, loadable, leftOut: fitting.filter((tool) => !offered.includes(tool)) },
    };
    return { ...about, ...contextUse({ ...input, draft }) };
  }

  async size(next: NextRequest): Promise<PromptSize> {
    const { request, input } = await this.measured(next);
    return { ...promptSize(input), window: request.options.num_ctx };
  }

  private async measured(next: NextRequest): Promise<{ request: ChatRequest; input: ContextInput }> {
    const { sessionId, mode, model, tools, entries } = next;
    const memory = await this.requests.memoryText(sessionId);
    const agentName = findAgentName(entries);
    const request = await this.requests.build({ mode, model, tools: tools.wire(), entries: [], agentName });
    const instructions = await this.requests.instructionsText(model, agentName);
    const system = request.messages.reduce((sum, { content }) => sum + content.length, 0) - instructions.length;
    const fixed = {
      system,
      instructions: instructions.length,
      memory: memory.length,
      // For a model without native tool calls, the tools are in the system prompt.
      tools: toolsLength(request),
    };
    const isModel = (other: string | null) => other !== null && findModel([model], other) !== undefined;
    const last = sessionId === null ? undefined : this.measures.get(sessionId);
    const measured = last !== undefined && isModel(last.model) ? last : null;
    return { request, input: { fixed, entries, isModel, measured, tokenLength: await this.tokenLengths.of(model) } };
  }

  dispose(): void {
    this.emitter.dispose();
  }
}

/** Returns the number of characters in the system message and the tools of a request. */
export function fixedLength(request: ChatRequest): number {
  const system = request.messages.filter(({ role }) => role === 'system').reduce((sum, { content }) => sum + content.length, 0);
  return system + toolsLength(request);
}

function toolsLength({ tools }: ChatRequest): number {
  return tools?.length ? JSON.stringify(tools).length : 0;
}
