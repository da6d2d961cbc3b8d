import type { Settings } from '../config/settings';
import type { Entry } from '../protocol/entries';
import { historyForNextAnswer } from '../protocol/history';
import type { ModelInfo } from '../types/model';
import type { ChatRequest, WireTool } from '../types/ollama';
import type { ChatMode } from '../types/session';
import type { WorkspacePort } from './ports';
import { buildSystemPrompt, completionMark } from './promptBuilder';

export interface RequestInput {
  mode: ChatMode;
  model: ModelInfo;
  tools: readonly WireTool[];
  entries: readonly Entry[];
  /** `num_ctx`, in tokens: of all options the one that belongs to loading. Another value, or another such option, loads anew. */
  contextWindow: number;
}

/** Builds chat requests in which nothing is left to the server's defaults that could cut the prompt in silence. */
export class RequestBuilder {
  constructor(
    private readonly settings: Settings,
    private readonly workspace: Pick<WorkspacePort, 'folders'>,
  ) {}

  build({ mode, model, tools, entries, contextWindow }: RequestInput): ChatRequest {
    const { modes, agent } = this.settings.getConfig();
    const { temperature, maxTokens } = modes[mode];
    const folders = this.workspace.folders().map(({ name }) => name);
    const system = buildSystemPrompt({ mode, folders, hasTools: tools.length > 0 });
    const request: ChatRequest = {
      model: model.name,
      messages: [{ role: 'system', content: system }, ...historyForNextAnswer(entries)],
      options: { num_ctx: contextWindow, temperature },
      keep_alive: agent.keepAlive,
      truncate: false,
      shift: false,
    };
    if (tools.length > 0) request.tools = [...tools];
    // A request's stop sequences replace the model's own. They would cut thinking short too, where a model may well name the mark.
    if (mode === 'agent' && !model.capabilities.thinking) request.options.stop = [...new Set([...model.stop, completionMark])];
    if (maxTokens > 0) request.options.num_predict = maxTokens;
    if (model.capabilities.thinking) request.think = true;
    return request;
  }
}
