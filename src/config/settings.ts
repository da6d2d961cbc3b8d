import type {
  AgentConfig,
  CheckpointConfig,
  CompletionConfig,
  ExtensionConfig,
  ModeConfig,
  PrivacyConfig,
  SandboxConfig,
  SearchConfig,
} from './configTypes';
import { chatModes, type ChatMode } from '../types/modes';
import { httpUrl, shownAddress } from '../types/httpAddress';
import { declared } from './declaredSettings';
import { valueInForce, workspaceRules } from './workspaceRules';

/** Source of settings. Keys do not have the prefix `ollamaCopilot.`. */
export interface SettingsSource {
  /** Returns the user's value for this computer, or the user's global value. `undefined` if neither is set. */
  get(key: string): unknown;
  /** Returns the values of the workspace and its folders. Missing if no workspace has settings. */
  ofWorkspace?(key: string): readonly unknown[];
  /**
   * Returns whether the user agreed to the server of a workspace. `address` has the format
   * of `shownAddress`. `undefined` if the user has not decided yet.
   */
  answerTo?(address: string): boolean | undefined;
}

/** Server in the workspace settings that differs from the user's server. Both addresses have the format of `shownAddress`. */
export interface WorkspaceServer {
  address: string;
  own: string;
  /** Decision of the user. `undefined` if the user has not decided yet. The user's own server is used until then. */
  isAllowed: boolean | undefined;
}

export interface InvalidSetting {
  /** Same code as the error for an invalid value on the settings page. */
  code: 'settingValue';
  /** Full name, such as `ollamaCopilot.agent.maxIterations`. */
  setting: string;
  problem: string;
}

export type SettingKey = keyof typeof declared;
type Value<K extends SettingKey> = (typeof declared)[K]['default'];

/** Validated settings. Each call reads the current values. An invalid value is reported once and replaced with its default. */
export class Settings {
  private readonly reported = new Set<string>();

  constructor(
    private readonly source: SettingsSource,
    private readonly onInvalid: (invalid: InvalidSetting) => void,
  ) {}

  /** Base URL without slashes at the end. */
  get baseUrl(): string {
    return this.readValue('baseUrl').replace(/\/+$/, '');
  }

  /** Server in the workspace settings. Null if there is none or it is the user's own server. */
  get workspaceServer(): WorkspaceServer | null {
    const baseUrl = this.baseUrlOfWorkspace();
    if (baseUrl === undefined) return null;
    const address = shownAddress(baseUrl);
    const own = shownAddress(this.ownValue('baseUrl'));
    return address === own ? null : { address, own, isAllowed: this.source.answerTo?.(address) };
  }

  /** True if the open file and the selection are sent with a message while the composer shows them. */
  get sendsOpenFile(): boolean {
    return this.readValue('chat.implicitContext');
  }

  /** True if the server is allowed to process the start of the next request before a message is sent. */
  get readsAhead(): boolean {
    return this.readValue('chat.readAhead');
  }

  /** True if the server's models are available to the editor and other extensions. */
  get offersModels(): boolean {
    return this.readValue('languageModels.provide');
  }

  /** True if other extensions can search the workspace and the conversations. Each call needs approval. */
  get offersTools(): boolean {
    return this.readValue('languageModels.offerTools');
  }

  get storagePath(): string {
    return this.readValue('storagePath');
  }

  getConfig(): ExtensionConfig {
    return {
      baseUrl: this.baseUrl,
      storagePath: this.storagePath,
      contextWindow: this.readValue('contextWindow'),
      modes: Object.fromEntries(chatModes.map((mode) => [mode, this.getModeConfig(mode)])) as ExtensionConfig['modes'],
      agent: this.getAgentConfig(),
      checkpoints: this.getCheckpointConfig(),
    };
  }

  getModeConfig(mode: ChatMode): ModeConfig {
    return {
      model: this.readOwnModel(mode) || this.readValue('chat.model'),
      temperature: this.readValue(`${mode}Mode.temperature`),
      maxTokens: this.readValue(`${mode}Mode.maxTokens`),
    };
  }

  /** Returns the mode's own model. Empty if the mode uses the model of the chat. */
  readOwnModel(mode: ChatMode): string {
    return this.readValue(`${mode}Mode.model`);
  }

  getAgentConfig(): AgentConfig {
    return {
      maxIterations: this.readValue('agent.maxIterations'),
      toolTimeout: this.readValue('agent.toolTimeout'),
      maxActiveSessions: this.readValue('agent.maxActiveSessions'),
      toolCalls: this.readValue('agent.toolCalls'),
      usesExam: this.readValue('agent.useModelExam'),
      loadsTools: this.readValue('agent.loadTools'),
      explorerModel: this.readValue('agent.explorerModel'),
      instructionFiles: this.readValue('agent.instructionFiles'),
      compactionModel: this.readValue('agent.compactionModel'),
      sessionTitleGeneration: this.readValue('agent.sessionTitleGeneration'),
      sessionTitleModel: this.readValue('agent.sessionTitleModel'),
      maxSubagents: this.readValue('agent.maxSubagents'),
      autoApproveCommands: this.readValue('agent.autoApproveCommands'),
      maxContextWindow: this.readValue('agent.maxContextWindow'),
      disabledTools: this.readValue('agent.disabledTools'),
      editorTools: this.readValue('agent.editorTools'),
      sensitiveFilePatterns: this.readValue('agent.sensitiveFilePatterns'),
      keepAlive: this.readValue('agent.keepAlive'),
    };
  }

  getSandboxConfig(): SandboxConfig {
    return {
      isEnabled: this.readValue('agent.sandbox.enabled'),
      network: this.readValue('agent.sandbox.network'),
      allowedHosts: this.readValue('agent.sandbox.allowedHosts'),
      writablePaths: this.readValue('agent.sandbox.writablePaths'),
      readDenied: this.readValue('agent.sandbox.readDenied'),
    };
  }

  getCompletionConfig(): CompletionConfig {
    return {
      isAutomatic: this.readValue('enableAutoComplete'),
      model: this.readValue('completionMode.model'),
      temperature: this.readValue('completionMode.temperature'),
      maxTokens: this.readValue('completionMode.maxTokens'),
      debounceMs: this.readValue('completionMode.debounceMs'),
      maxPrefixChars: this.readValue('completionMode.maxPrefixChars'),
      maxSuffixChars: this.readValue('completionMode.maxSuffixChars'),
      isMultiline: this.readValue('completionMode.multiline'),
      isInComments: this.readValue('completionMode.inComments'),
      languages: this.readValue('completionMode.languages'),
      hasNextEdit: this.readValue('completionMode.nextEdit'),
      template: this.readValue('completionMode.template'),
    };
  }

  getPrivacyConfig(): PrivacyConfig {
    return {
      isLocalOnly: this.readValue('privacy.localOnly'),
      allowed: this.readValue('privacy.allowedAddresses'),
      keepsConnections: this.readValue('privacy.keepConnections'),
      keptRequests: this.readValue('privacy.keptRequests'),
    };
  }

  getApiConfig(): { isEnabled: boolean; port: number } {
    return { isEnabled: this.readValue('api.enabled'), port: this.readValue('api.port') };
  }

  getCheckpointConfig(): CheckpointConfig {
    return {
      isEnabled: this.readValue('checkpoints.enabled'),
      aroundCommands: this.readValue('checkpoints.aroundCommands'),
      maxFileBytes: this.readValue('checkpoints.maxFileSizeMB') * 1_000_000,
      maxStorageBytes: this.readValue('checkpoints.maxStorageMB') * 1_000_000,
      exclude: this.readValue('checkpoints.exclude'),
    };
  }

  /** MCP servers by name, as the user configured them. */
  get mcpServers(): Readonly<Record<string, unknown>> {
    return this.readValue('mcp.servers');
  }

  getSearchConfig(): SearchConfig {
    return {
      isEnabled: this.readValue('search.enabled'),
      maxBytes: this.readValue('search.maxStorageMB') * 1_000_000,
      embeddingModel: this.readValue('embedding.model'),
      isLance: this.readValue('search.useLanceDB'),
      sharedUri: this.readValue('search.uri'),
    };
  }

  /**
   * Returns the effective value: the user's value or the default, or a stricter workspace value. The server address of a
   * workspace is used only after the user has agreed to it.
   */
  readValue<K extends SettingKey>(key: K): Value<K> {
    const own = this.ownValue(key);
    if (key === 'baseUrl') return this.workspaceServer?.isAllowed === true ? (this.baseUrlOfWorkspace() as Value<K>) : own;
    if (workspaceRules[key] === undefined) return own;
    return valueInForce(key, own, this.valuesOfWorkspace(key)) as Value<K>;
  }

  private ownValue<K extends SettingKey>(key: K): Value<K> {
    const raw = this.source.get(key) ?? undefined;
    return raw === undefined || !this.isUsable(key, raw) ? declared[key].default : (raw as Value<K>);
  }

  private valuesOfWorkspace(key: SettingKey): readonly unknown[] {
    return (this.source.ofWorkspace?.(key) ?? []).filter((raw) => this.isUsable(key, raw));
  }

  /** Returns the last valid server address in the workspace settings. */
  private baseUrlOfWorkspace(): string | undefined {
    return (this.valuesOfWorkspace('baseUrl') as string[]).findLast((address) => httpUrl(address) !== null);
  }

  private isUsable(key: SettingKey, raw: unknown): boolean {
    const problem = findSettingProblem(key, raw);
    const mark = `${key}=${JSON.stringify(raw)}`;
    if (problem !== null && !this.reported.has(mark)) {
      this.reported.add(mark);
      this.onInvalid({ code: 'settingValue', setting: `ollamaCopilot.${key}`, problem });
    }
    return problem === null;
  }
}

export function isSettingKey(key: string): key is SettingKey {
  return Object.hasOwn(declared, key);
}

/** Returns the problem of a setting's value for the user, or null if the value is valid. */
export function findSettingProblem(key: SettingKey, value: unknown): string | null {
  return declared[key].problemOf(value);
}

export function settingDefaults(): Record<SettingKey, unknown> {
  return Object.fromEntries(Object.entries(declared).map(([key, check]) => [key, check.default])) as Record<SettingKey, unknown>;
}
