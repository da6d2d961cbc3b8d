import type { AgentConfig, CheckpointConfig, CompletionConfig, ExtensionConfig, ModeConfig, SearchConfig } from './configTypes';
import { chatModes, modeRow, type ChatMode } from '../types/modes';
import { httpUrl, shownAddress } from '../types/httpAddress';
import { t } from '../utils/l10n';
import { flag, named, number, switches, text, textOrNumber, texts, whole, type SettingCheck } from './settingChecks';
import { valueInForce, workspaceRules } from './workspaceRules';

/** Reads settings by their keys without the `ollamaCopilot.` prefix. */
export interface SettingsSource {
  /** Returns what the user has set, for this machine or for all; `undefined` when the user has set nothing. */
  get(key: string): unknown;
  /** Returns what the open workspace and its folders set. Absent where no workspace has settings. */
  ofWorkspace?(key: string): readonly unknown[];
  /** Returns whether the user agreed to the server of a workspace, by its `shownAddress`; `undefined` before an answer. */
  answerTo?(address: string): boolean | undefined;
}

/** A server that the workspace sets in place of the user's. Both addresses are as `shownAddress` writes them. */
export interface WorkspaceServer {
  address: string;
  own: string;
  /** Answer of the user to the question whether it is used; `undefined` before an answer, and the user's own server is used. */
  isAllowed: boolean | undefined;
}

export interface InvalidSetting {
  /** Same code as that of the errors a person meets when they enter such a value in the view. */
  code: 'settingValue';
  /** Full name, e.g. `ollamaCopilot.agent.maxIterations`. */
  setting: string;
  problem: string;
}

const positive = { min: 1 };
/** Names that `services/instructions` knows. */
const defaultInstructionFiles = [
  ...['AGENTS.md', '.github/copilot-instructions.md', '.github/instructions', 'CLAUDE.md', '.github/agents'],
];

type ModeSettings = Record<`${ChatMode}Mode.model`, SettingCheck<string>> &
  Record<`${ChatMode}Mode.${'temperature' | 'maxTokens'}`, SettingCheck<number>>;

/** Returns the three settings that each mode has. */
function modeSettings(): ModeSettings {
  const rows = chatModes.flatMap((mode) => [
    [`${mode}Mode.model`, text('')],
    [`${mode}Mode.temperature`, number(modeRow(mode).temperature, { min: 0, max: 2 })],
    [`${mode}Mode.maxTokens`, whole(-1)],
  ]);
  return Object.fromEntries(rows) as ModeSettings;
}

/** All settings with their checks and defaults (package.json repeats the defaults; a test holds the two together). */
const declared = {
  baseUrl: text('http://localhost:11434', (address) =>
    address.length <= 2048 && /^https?:\/\//i.test(address) ? null : t('Enter an address that begins with http:// or https://.'),
  ),
  storagePath: text('', (path) => (path.includes('\0') ? t('No path has a NUL character.') : null)),
  contextWindow: whole(16000, positive),
  ...modeSettings(),
  enableAutoComplete: flag(true),
  'completionMode.model': text(''),
  'completionMode.temperature': number(0, { min: 0, max: 2 }),
  'completionMode.maxTokens': whole(200, { min: 8, max: 2000 }),
  'completionMode.debounceMs': whole(0, { min: 0, max: 10_000 }),
  'completionMode.maxPrefixChars': whole(8000, { min: 200, max: 200_000 }),
  'completionMode.maxSuffixChars': whole(4000, { min: 0, max: 200_000 }),
  'completionMode.multiline': flag(true),
  'completionMode.inComments': flag(true),
  'completionMode.languages': switches(() => t('Enter names of languages, each with true or false.')),
  'completionMode.template': text('', (template) =>
    template === '' || (template.includes('{prefix}') && template.includes('{suffix}'))
      ? null
      : t('Enter a template with {0} and {1}, or nothing.', '{prefix}', '{suffix}'),
  ),
  'completionMode.nextEdit': flag(false),
  'languageModels.provide': flag(true),
  'languageModels.offerTools': flag(false),
  'chat.implicitContext': flag(true),
  'agent.maxIterations': whole(25, { min: 1, max: 1000 }),
  'agent.toolTimeout': whole(30000, { min: 1, max: 3_600_000 }),
  'agent.maxActiveSessions': whole(1, positive),
  'agent.autoApproveCommands': flag(false),
  'agent.explorerModel': text(''),
  'agent.instructionFiles': texts([...defaultInstructionFiles]),
  'agent.compactionModel': text(''),
  'agent.sessionTitleGeneration': flag(false),
  'agent.sessionTitleModel': text(''),
  'agent.maxSubagents': whole(1, { min: 1, max: 8 }),
  'agent.maxContextWindow': whole(65536, { min: 512 }),
  'agent.disabledTools': texts([]),
  'agent.editorTools': texts([]),
  'agent.sensitiveFilePatterns': switches(() => t('Enter patterns, each with true or false.')),
  'agent.keepAlive': textOrNumber('30m', /^-?\d+(\.\d+)?(ms|s|m|h)([\d.]+(ms|s|m|h))*$/, () =>
    t('Enter a time such as 30m or 1h, or a number of seconds; -1 means for ever.'),
  ),
  'checkpoints.enabled': flag(true),
  'checkpoints.aroundCommands': flag(true),
  'checkpoints.maxFileSizeMB': whole(50, { min: 1, max: 2_000 }),
  'checkpoints.maxStorageMB': whole(5_000, { min: 100, max: 10_000_000 }),
  'checkpoints.exclude': texts([]),
  'mcp.servers': named(() => t('Enter names of servers, each with a command or an address.')),
  'embedding.model': text(''),
  'search.enabled': flag(true),
  'search.useLanceDB': flag(false),
  'search.uri': text('', (uri) =>
    uri === '' || /^(?:\/|[a-z]:[\\/]|\\\\|(?:file|s3|gs|az|abfss?):\/\/)[^\0]*$/i.test(uri)
      ? null
      : t('Enter the absolute path of a folder, or an address that begins with {0}.', 's3://, gs://, az://, abfss://'),
  ),
  'search.maxStorageMB': whole(1_000, { min: 10, max: 100_000 }),
  'api.enabled': flag(false),
  'api.port': whole(0, { min: 0, max: 65_535 }),
} as const;

export type SettingKey = keyof typeof declared;
type Value<K extends SettingKey> = (typeof declared)[K]['default'];

/** Settings as validated snapshots: each call reads afresh. An invalid value is reported once and replaced by its default. */
export class Settings {
  private readonly reported = new Set<string>();

  constructor(
    private readonly source: SettingsSource,
    private readonly onInvalid: (invalid: InvalidSetting) => void,
  ) {}

  /** Base URL without slashes at its end. */
  get baseUrl(): string {
    return this.valueOf('baseUrl').replace(/\/+$/, '');
  }

  /** Server that the workspace sets; null where it sets none, or the one that the user has. */
  get workspaceServer(): WorkspaceServer | null {
    const baseUrl = this.baseUrlOfWorkspace();
    if (baseUrl === undefined) return null;
    const [address, own] = [shownAddress(baseUrl), shownAddress(this.ownValue('baseUrl'))];
    return address === own ? null : { address, own, isAllowed: this.source.answerTo?.(address) };
  }

  /** True if the open file and the selection go with a message while the composer shows them. */
  get sendsOpenFile(): boolean {
    return this.valueOf('chat.implicitContext');
  }

  /** True if the editor and other extensions are offered the models of the server. */
  get offersModels(): boolean {
    return this.valueOf('languageModels.provide');
  }

  /** True if other extensions may search the workspace and the conversations; each call asks. */
  get offersTools(): boolean {
    return this.valueOf('languageModels.offerTools');
  }

  get storagePath(): string {
    return this.valueOf('storagePath');
  }

  getConfig(): ExtensionConfig {
    return {
      baseUrl: this.baseUrl,
      storagePath: this.storagePath,
      contextWindow: this.valueOf('contextWindow'),
      modes: Object.fromEntries(chatModes.map((mode) => [mode, this.getModeConfig(mode)])) as ExtensionConfig['modes'],
      agent: this.getAgentConfig(),
      checkpoints: this.getCheckpointConfig(),
    };
  }

  getModeConfig(mode: ChatMode): ModeConfig {
    return {
      model: this.valueOf(`${mode}Mode.model`),
      temperature: this.valueOf(`${mode}Mode.temperature`),
      maxTokens: this.valueOf(`${mode}Mode.maxTokens`),
    };
  }

  getAgentConfig(): AgentConfig {
    return {
      maxIterations: this.valueOf('agent.maxIterations'),
      toolTimeout: this.valueOf('agent.toolTimeout'),
      maxActiveSessions: this.valueOf('agent.maxActiveSessions'),
      explorerModel: this.valueOf('agent.explorerModel'),
      instructionFiles: this.valueOf('agent.instructionFiles'),
      compactionModel: this.valueOf('agent.compactionModel'),
      sessionTitleGeneration: this.valueOf('agent.sessionTitleGeneration'),
      sessionTitleModel: this.valueOf('agent.sessionTitleModel'),
      maxSubagents: this.valueOf('agent.maxSubagents'),
      autoApproveCommands: this.valueOf('agent.autoApproveCommands'),
      maxContextWindow: this.valueOf('agent.maxContextWindow'),
      disabledTools: this.valueOf('agent.disabledTools'),
      editorTools: this.valueOf('agent.editorTools'),
      sensitiveFilePatterns: this.valueOf('agent.sensitiveFilePatterns'),
      keepAlive: this.valueOf('agent.keepAlive'),
    };
  }

  getCompletionConfig(): CompletionConfig {
    return {
      isAutomatic: this.valueOf('enableAutoComplete'),
      model: this.valueOf('completionMode.model'),
      temperature: this.valueOf('completionMode.temperature'),
      maxTokens: this.valueOf('completionMode.maxTokens'),
      debounceMs: this.valueOf('completionMode.debounceMs'),
      maxPrefixChars: this.valueOf('completionMode.maxPrefixChars'),
      maxSuffixChars: this.valueOf('completionMode.maxSuffixChars'),
      isMultiline: this.valueOf('completionMode.multiline'),
      isInComments: this.valueOf('completionMode.inComments'),
      languages: this.valueOf('completionMode.languages'),
      hasNextEdit: this.valueOf('completionMode.nextEdit'),
      template: this.valueOf('completionMode.template'),
    };
  }

  getApiConfig(): { isEnabled: boolean; port: number } {
    return { isEnabled: this.valueOf('api.enabled'), port: this.valueOf('api.port') };
  }

  getCheckpointConfig(): CheckpointConfig {
    return {
      isEnabled: this.valueOf('checkpoints.enabled'),
      aroundCommands: this.valueOf('checkpoints.aroundCommands'),
      maxFileBytes: this.valueOf('checkpoints.maxFileSizeMB') * 1_000_000,
      maxStorageBytes: this.valueOf('checkpoints.maxStorageMB') * 1_000_000,
      exclude: this.valueOf('checkpoints.exclude'),
    };
  }

  /** Returns MCP servers by their names, as a person has written them. */
  get mcpServers(): Readonly<Record<string, unknown>> {
    return this.valueOf('mcp.servers');
  }

  getSearchConfig(): SearchConfig {
    return {
      isEnabled: this.valueOf('search.enabled'),
      maxBytes: this.valueOf('search.maxStorageMB') * 1_000_000,
      embeddingModel: this.valueOf('embedding.model'),
      isLance: this.valueOf('search.useLanceDB'),
      sharedUri: this.valueOf('search.uri'),
    };
  }

  /**
   * Returns the value in force: the user's, or the default, as far as no workspace makes it stricter. The address of a workspace is in
   * force once the user has agreed to it.
   */
  valueOf<K extends SettingKey>(key: K): Value<K> {
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

  /** Returns the last one that is an address. */
  private baseUrlOfWorkspace(): string | undefined {
    return (this.valuesOfWorkspace('baseUrl') as string[]).findLast((address) => httpUrl(address) !== null);
  }

  private isUsable(key: SettingKey, raw: unknown): boolean {
    const problem = problemOf(key, raw);
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

/** Returns the problem with a value of a setting, in words for a person; null if it can be used. */
export function problemOf(key: SettingKey, value: unknown): string | null {
  return declared[key].problemOf(value);
}

/** Returns the default of every setting, by key. */
export function settingDefaults(): Record<SettingKey, unknown> {
  return Object.fromEntries(Object.entries(declared).map(([key, check]) => [key, check.default])) as Record<SettingKey, unknown>;
}
