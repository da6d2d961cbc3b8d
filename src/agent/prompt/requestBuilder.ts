import type { Settings } from '../../config/settings';
import type { Entry } from '../../protocol/entries';
import { sentImages } from '../../protocol/context/sentImages';
import { historyForNextAnswer, isContinuing } from '../../protocol/history';
import { selectPrompted } from '../../protocol/reducer/promptedEntries';
import { resultOpening } from '../../protocol/printedCalls';
import { requestOptions } from '../../services/model/context/requestOptions';
import type { ContextWindows } from '../../services/model/context/contextWindows';
import { callTool } from '../../types/loadedTools';
import { modelDefaults, type ModelDefaults } from '../../types/modelDefaults';
import type { ModelInfo } from '../../types/model';
import type { ChatRequest, ThinkValue, WireMessage, WireTool } from '../../types/ollama';
import { modeRow, type ChatMode } from '../../types/modes';
import type { WorkspacePort } from '../../services/files/workspacePorts';
import type { AgentFile } from '../../services/instructions/agentFiles';
import type { PromptInstructions, Instructions, UsedInstruction } from '../../services/instructions/instructions';
import { answerLimit } from './answerLimit';
import { findAgentName } from './chosenAgent';
import { buildSystemPrompt, completionMark, isSmallWindow } from './promptBuilder';

export interface RequestInput {
  mode: ChatMode;
  model: ModelInfo;
  tools: readonly WireTool[];
  entries: readonly Entry[];
  /** Session whose memory is sent, or null for a chat without messages. */
  sessionId?: string | null;
  /** Text that is added after the conversation, in this request only. */
  hint?: string | undefined;
  /** Agent that answers. The default is the agent of the last message. */
  agentName?: string | null;
}

/** Parts of the system message besides the system prompt. They may be empty. */
export interface SystemTexts {
  instructions: string;
  memory: string;
}

/** Values that replace the defaults. */
interface OwnPrompt {
  systemPrompt?: typeof buildSystemPrompt;
  defaults?: ModelDefaults;
}

/** Builds chat requests. Sets all options whose defaults could make the server truncate the prompt silently. */
export class RequestBuilder {
  constructor(
    private readonly settings: Settings,
    private readonly workspace: Pick<WorkspacePort, 'folders' | 'commandShell'>,
    private readonly windows: Pick<ContextWindows, 'tokensFor'>,
    private readonly instructions: Pick<Instructions, 'forWindow' | 'agents'> = {
      forWindow: () => Promise.resolve({ prompt: '', files: [] }),
      agents: () => Promise.resolve([]),
    },
    private readonly memory: { readEdits(sessionId: string): Promise<{ own: readonly string[] }> } | null = null,
    private readonly images: ImageSource | null = null,
    private readonly own: OwnPrompt = {},
  ) {}

  /** Returns the instruction files in the workspace that are part of requests. */
  async instructionsFor(model: ModelInfo, agentName: string | null): Promise<readonly UsedInstruction[]> {
    return (await this.given(model, agentName)).files;
  }

  /** Returns the instructions in the form used in the system prompt. */
  async instructionsText(model: ModelInfo, agentName: string | null): Promise<string> {
    return (await this.given(model, agentName)).prompt;
  }

  /** Returns an agent in the workspace, or null if there is none with this name. */
  async agentNamed(name: string | null): Promise<AgentFile | null> {
    return name === null ? null : ((await this.instructions.agents()).find((agent) => agent.name === name) ?? null);
  }

  /** Returns the user's additions to the memory of a chat, in the form used in the system prompt. */
  async memoryText(sessionId: string | null): Promise<string> {
    const { own } = sessionId === null || this.memory === null ? { own: [] } : await this.memory.readEdits(sessionId);
    return own.length === 0 ? '' : `\n\n# Keep in mind\n${own.map((line) => `- ${line}`).join('\n')}`;
  }

  /** Returns the default settings for work with the model. */
  defaultsFor(model: ModelInfo): ModelDefaults {
    return this.own.defaults ?? modelDefaults(model, this.settings.getAgentConfig());
  }

  /** Returns the context window in tokens. */
  windowFor(model: ModelInfo): Promise<number> {
    return this.windows.tokensFor(model);
  }

  async build(input: RequestInput): Promise<ChatRequest> {
    return (await this.buildWithTexts(input)).request;
  }

  /** Builds a request. Also returns the parts of the system message that may change during the conversation. */
  async buildWithTexts(input: RequestInput): Promise<{ request: ChatRequest; texts: SystemTexts }> {
    const { mode, model, tools, entries, sessionId = null, hint, agentName } = input;
    const { modes, agent } = this.settings.getConfig();
    const { temperature, maxTokens } = modes[mode];
    const folders = this.workspace.folders().map(({ name }) => name);
    const window = await this.windowFor(model);
    const callsAsText = this.defaultsFor(model).isPrinted;
    const declared = new Set(tools.map((tool) => tool.function.name));
    const commandShell = this.workspace.commandShell();
    const facts = { mode, folders, commandShell, hasTools: tools.length > 0, isShort: isSmallWindow(window) };
    const { prompt: instructions } = await this.given(model, agentName === undefined ? findAgentName(entries) : agentName);
    const system = (this.own.systemPrompt ?? buildSystemPrompt)({
      ...facts,
      ...(callsAsText && { printed: tools }),
      instructions,
    });
    const memory = await this.memoryText(sessionId);
    const images = model.capabilities.vision ? await this.readImages(entries) : new Map<string, string>();
    const history = historyForNextAnswer(entries, {
      callsAsText,
      images: (hash: string) => images.get(hash),
      ...(declared.has(callTool) && { declared }),
    });
    if (hint !== undefined) addHint(history, hint);
    const request: ChatRequest = {
      model: model.name,
      messages: [{ role: 'system', content: system + memory }, ...history],
      options: { ...requestOptions(model, window), temperature },
      keep_alive: agent.keepAlive,
      truncate: false,
      shift: false,
    };
    if (tools.length > 0 && !callsAsText) request.tools = [...tools];
    // Stop sequences in a request replace the model's own. They would also truncate thinking that mentions the mark.
    if (modeRow(mode).endsWithMark && !model.capabilities.thinking) {
      const made = callsAsText && tools.length > 0 ? [resultOpening] : [];
      request.options.stop = [...new Set([...model.stop, completionMark, ...made])];
    }
    // An answer that continues mid-sentence needs no more thinking.
    if (model.capabilities.thinking) request.think = isContinuing(entries) ? false : chooseThink(model);
    const thinks = request.think !== undefined && request.think !== false;
    if (maxTokens > 0) request.options.num_predict = maxTokens;
    else if (model.ownOptions?.includes('num_predict') !== true)
      request.options.num_predict = answerLimit(entries, { window, thinks });
    return { request, texts: { instructions, memory } };
  }

  private async given(model: ModelInfo, agentName: string | null): Promise<PromptInstructions> {
    return this.instructions.forWindow(await this.windowFor(model), await this.agentNamed(agentName));
  }

  /** Reads the images of a conversation, encoded in base64. */
  private async readImages(entries: readonly Entry[]): Promise<Map<string, string>> {
    const read = new Map<string, string>();
    if (this.images === null) return read;
    for (const { hash } of [...sentImages(selectPrompted(entries)).values()].flat()) {
      const bytes = read.has(hash) ? null : await this.images.read(hash);
      if (bytes !== null) read.set(hash, Buffer.from(bytes).toString('base64'));
    }
    return read;
  }
}

/** Stored images, keyed by the SHA-256 of their bytes. */
export interface ImageSource {
  /** Resolves with the bytes, or with null if the image no longer exists. */
  read(hash: string): Promise<Uint8Array | null>;
}

/** Returns the user's thinking level if the server still offers it, otherwise the default of the model. */
function chooseThink({ thinking, think }: ModelInfo): ThinkValue {
  const usual = thinking?.default ?? true;
  return think != null && thinking?.values.includes(think) === true ? think : usual;
}

function addHint(messages: WireMessage[], hint: string): void {
  const last = messages.at(-1);
  if (last?.role === 'user') messages[messages.length - 1] = { ...last, content: `${last.content}\n\n${hint}` };
  else messages.push({ role: 'user', content: hint });
}
