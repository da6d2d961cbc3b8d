import type { AgentConfig, CheckpointConfig, CompletionConfig, ExtensionConfig, ModeConfig, SearchConfig } from './configTypes';
import { chatModes, modeRow, type ChatMode } from '../types/modes';
import { t } from '../utils/l10n';
import { flag, named, number, switches, text, textOrNumber, texts, whole, type SettingCheck } from './settingChecks';

/** Reads one setting by its key without the `ollamaCopilot.` prefix; `undefined` when nobody has set it. */
export interface SettingsSource {
  get(key: string): unknown;
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
    return this.read('baseUrl').replace(/\/+$/, '');
  }

  /** True if the open file and the selection go with a message while the composer shows them. */
  get sendsOpenFile(): boolean {
    return this.read('chat.implicitContext');
  }

  /** True if the editor and other extensions are offered the models of the server. */
  get offersModels(): boolean {
    return this.read('languageModels.provide');
  }

  /** True if other extensions may search the workspace and the conversations; each call asks. */
  get offersTools(): boolean {
    return this.read('languageModels.offerTools');
  }

  get storagePath(): string {
    return this.read('storagePath');
  }

  getConfig(): ExtensionConfig {
    return {
      baseUrl: this.baseUrl,
      storagePath: this.storagePath,
      contextWindow: this.read('contextWindow'),
      modes: Object.fromEntries(chatModes.map((mode) => [mode, this.getModeConfig(mode)])) as ExtensionConfig['modes'],
      agent: this.getAgentConfig(),
      checkpoints: this.getCheckpointConfig(),
    };
  }

  getModeConfig(mode: ChatMode): ModeConfig {
    return {
      model: this.read(`${mode}Mode.model`),
      temperature: this.read(`${mode}Mode.temperature`),
      maxTokens: this.read(`${mode}Mode.maxTokens`),
    };
  }

  getAgentConfig(): AgentConfig {
    return {
      maxIterations: this.read('agent.maxIterations'),
      toolTimeout: this.read('agent.toolTimeout'),
      maxActiveSessions: this.read('agent.maxActiveSessions'),
      explorerModel: this.read('agent.explorerModel'),
      instructionFiles: this.read('agent.instructionFiles'),
      compactionModel: this.read('agent.compactionModel'),
      sessionTitleGeneration: this.read('agent.sessionTitleGeneration'),
      sessionTitleModel: this.read('agent.sessionTitleModel'),
      maxSubagents: this.read('agent.maxSubagents'),
      autoApproveCommands: this.read('agent.autoApproveCommands'),
      maxContextWindow: this.read('agent.maxContextWindow'),
      disabledTools: this.read('agent.disabledTools'),
      editorTools: this.read('agent.editorTools'),
      sensitiveFilePatterns: this.read('agent.sensitiveFilePatterns'),
      keepAlive: this.read('agent.keepAlive'),
    };
  }

  getCompletionConfig(): CompletionConfig {
    return {
      isAutomatic: this.read('enableAutoComplete'),
      model: this.read('completionMode.model'),
      temperature: this.read('completionMode.temperature'),
      maxTokens: this.read('completionMode.maxTokens'),
      debounceMs: this.read('completionMode.debounceMs'),
      maxPrefixChars: this.read('completionMode.maxPrefixChars'),
      maxSuffixChars: this.read('completionMode.maxSuffixChars'),
      isMultiline: this.read('completionMode.multiline'),
      isInComments: this.read('completionMode.inComments'),
      languages: this.read('completionMode.languages'),
      hasNextEdit: this.read('completionMode.nextEdit'),
      template: this.read('completionMode.template'),
    };
  }

  getApiConfig(): { isEnabled: boolean; port: number } {
    return { isEnabled: this.read('api.enabled'), port: this.read('api.port') };
  }

  getCheckpointConfig(): CheckpointConfig {
    return {
      isEnabled: this.read('checkpoints.enabled'),
      aroundCommands: this.read('checkpoints.aroundCommands'),
      maxFileBytes: this.read('checkpoints.maxFileSizeMB') * 1_000_000,
      maxStorageBytes: this.read('checkpoints.maxStorageMB') * 1_000_000,
      exclude: this.read('checkpoints.exclude'),
    };
  }

  /** Returns MCP servers by their names, as a person has written them. */
  get mcpServers(): Readonly<Record<string, unknown>> {
    return this.read('mcp.servers');
  }

  getSearchConfig(): SearchConfig {
    return {
      isEnabled: this.read('search.enabled'),
      maxBytes: this.read('search.maxStorageMB') * 1_000_000,
      embeddingModel: this.read('embedding.model'),
      isLance: this.read('search.useLanceDB'),
      sharedUri: this.read('search.uri'),
    };
  }

  private read<K extends SettingKey>(key: K): Value<K> {
    const check = declared[key] as SettingCheck<Value<K>>;
    const raw = this.source.get(key) ?? check.default;
    const problem = check.problemOf(raw);
    if (problem === null) return raw as Value<K>;
    const mark = `${key}=${JSON.stringify(raw)}`;
    if (!this.reported.has(mark)) {
      this.reported.add(mark);
      this.onInvalid({ code: 'settingValue', setting: `ollamaCopilot.${key}`, problem });
    }
    return check.default;
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
