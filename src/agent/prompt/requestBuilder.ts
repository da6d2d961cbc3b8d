import type { Settings } from '../../config/settings';
import type { Entry } from '../../protocol/entries';
import { sentImages } from '../../protocol/context/sentImages';
import { historyForNextAnswer, isGoingOn } from '../../protocol/history';
import { promptedOf } from '../../protocol/reducer/promptedEntries';
import { resultOpening } from '../../protocol/printedCalls';
import { requestOptions } from '../../services/model/context/requestOptions';
import type { ContextWindows } from '../../services/model/context/contextWindows';
import type { ModelInfo } from '../../types/model';
import type { ChatRequest, ThinkValue, WireMessage, WireTool } from '../../types/ollama';
import { modeRow, type ChatMode } from '../../types/modes';
import type { WorkspacePort } from '../../services/files/workspacePorts';
import type { AgentFile } from '../../services/instructions/agentFiles';
import type { GivenInstructions, Instructions, UsedInstruction } from '../../services/instructions/instructions';
import { answerLimit } from './answerLimit';
import { agentNameOf } from './chosenAgent';
import { buildSystemPrompt, completionMark, isSmallWindow } from './promptBuilder';

export interface RequestInput {
  mode: ChatMode;
  model: ModelInfo;
  tools: readonly WireTool[];
  entries: readonly Entry[];
  /** Chat whose memory is in the request; null for one that has not begun. */
  sessionId?: string | null;
  /** Said to the model in this request only, after everything else. */
  hint?: string | undefined;
  /** Agent that is to answer; by default the one of the last message. */
  agentName?: string | null;
}

/** Texts that stand in the system message of a request besides the system prompt itself; empty where there are none. */
export interface SystemTexts {
  instructions: string;
  memory: string;
}

/** Builds chat requests in which nothing is left to the server's defaults that could cut the prompt in silence. */
export class RequestBuilder {
  constructor(
    private readonly settings: Settings,
    private readonly workspace: Pick<WorkspacePort, 'folders' | 'commandShell'>,
    private readonly windows: Pick<ContextWindows, 'tokensFor'>,
    private readonly instructions: Pick<Instructions, 'forWindow' | 'agents'> = {
      forWindow: () => Promise.resolve({ prompt: '', files: [] }),
      agents: () => Promise.resolve([]),
    },
    private readonly memory: { editsOf(sessionId: string): Promise<{ own: readonly string[] }> } | null = null,
    private readonly images: ImageSource | null = null,
  ) {}

  /** Returns the instruction files of the workspace as far as requests hold them. */
  async instructionsFor(model: ModelInfo, agentName: string | null): Promise<readonly UsedInstruction[]> {
    return (await this.given(model, agentName)).files;
  }

  /** Returns the part of the system prompt that holds them. */
  async instructionsText(model: ModelInfo, agentName: string | null): Promise<string> {
    return (await this.given(model, agentName)).prompt;
  }

  /** Finds an agent of the workspace; null where there is none of that name. */
  async agentNamed(name: string | null): Promise<AgentFile | null> {
    return name === null ? null : ((await this.instructions.agents()).find((agent) => agent.name === name) ?? null);
  }

  /** Returns the part of the system prompt that holds what a person has added to the memory of a chat. */
  async memoryText(sessionId: string | null): Promise<string> {
    const { own } = sessionId === null || this.memory === null ? { own: [] } : await this.memory.editsOf(sessionId);
    return own.length === 0 ? '' : `\n\n# Keep in mind\n${own.map((line) => `- ${line}`).join('\n')}`;
  }

  /** Returns the window in tokens. */
  windowFor(model: ModelInfo): Promise<number> {
    return this.windows.tokensFor(model);
  }

  async build(input: RequestInput): Promise<ChatRequest> {
    return (await this.buildWithTexts(input)).request;
  }

  /** Builds a request, and returns with it the parts of its system message that may change while a conversation goes on. */
  async buildWithTexts(input: RequestInput): Promise<{ request: ChatRequest; texts: SystemTexts }> {
    const { mode, model, tools, entries, sessionId = null, hint, agentName } = input;
    const { modes, agent } = this.settings.getConfig();
    const { temperature, maxTokens } = modes[mode];
    const folders = this.workspace.folders().map(({ name }) => name);
    const window = await this.windowFor(model);
    const callsAsText = !model.capabilities.tools;
    const commandShell = this.workspace.commandShell();
    const facts = { mode, folders, commandShell, hasTools: tools.length > 0, isShort: isSmallWindow(window) };
    const { prompt: instructions } = await this.given(model, agentName === undefined ? agentNameOf(entries) : agentName);
    const system = buildSystemPrompt({ ...facts, ...(callsAsText && { printed: tools }), instructions });
    const memory = await this.memoryText(sessionId);
    const images = model.capabilities.vision ? await this.imagesOf(entries) : new Map<string, string>();
    const history = historyForNextAnswer(entries, { callsAsText, images: (hash) => images.get(hash) });
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
    // A request's stop sequences replace the model's own. They would cut thinking short too, where a model may well name the mark.
    if (modeRow(mode).endsWithMark && !model.capabilities.thinking) {
      const made = callsAsText && tools.length > 0 ? [resultOpening] : [];
      request.options.stop = [...new Set([...model.stop, completionMark, ...made])];
    }
    // What goes on in mid-sentence was thought about before it began.
    if (model.capabilities.thinking) request.think = isGoingOn(entries) ? false : thinkOf(model);
    const thinks = request.think !== undefined && request.think !== false;
    if (maxTokens > 0) request.options.num_predict = maxTokens;
    else if (model.ownOptions?.includes('num_predict') !== true)
      request.options.num_predict = answerLimit(entries, { window, thinks });
    return { request, texts: { instructions, memory } };
  }

  private async given(model: ModelInfo, agentName: string | null): Promise<GivenInstructions> {
    return this.instructions.forWindow(await this.windowFor(model), await this.agentNamed(agentName));
  }

  /** Reads the images that are sent with a conversation, in base64. */
  private async imagesOf(entries: readonly Entry[]): Promise<Map<string, string>> {
    const read = new Map<string, string>();
    if (this.images === null) return read;
    for (const { hash } of [...sentImages(promptedOf(entries)).values()].flat()) {
      const bytes = read.has(hash) ? null : await this.images.read(hash);
      if (bytes !== null) read.set(hash, Buffer.from(bytes).toString('base64'));
    }
    return read;
  }
}

/** Stored images, by the SHA-256 of their bytes. */
export interface ImageSource {
  /** Resolves with the bytes; null where there is no such image any more. */
  read(hash: string): Promise<Uint8Array | null>;
}

/** Returns how a model is told to think: as a person has chosen, if the server still offers that, else as it does by itself. */
function thinkOf({ thinking, think }: ModelInfo): ThinkValue {
  const usual = thinking?.default ?? true;
  return think != null && thinking?.values.includes(think) === true ? think : usual;
}

function addHint(messages: WireMessage[], hint: string): void {
  const last = messages.at(-1);
  if (last?.role === 'user') messages[messages.length - 1] = { ...last, content: `${last.content}\n\n${hint}` };
  else messages.push({ role: 'user', content: hint });
}
