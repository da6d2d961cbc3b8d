import { chatModes, modeRow, type ChatMode } from '../types/modes';
import { t } from '../utils/l10n';
import { toolCallChoices } from '../types/modelDefaults';
import { booleanRecord, flag, number, oneOf, record, text, textOrNumber, texts, whole, type SettingCheck } from './settingChecks';

/** Limits of a context window, in tokens. */
const windowBounds = { min: 512, max: 10_000_000 };
/** Kinds of instruction files that `services/instructions` defines. */
const defaultInstructionFiles = [
  ...['AGENTS.md', '.github/copilot-instructions.md', '.github/instructions', 'CLAUDE.md', '.github/agents'],
];

type ModeSettings = Record<`${ChatMode}Mode.model`, SettingCheck<string>> &
  Record<`${ChatMode}Mode.${'temperature' | 'maxTokens'}`, SettingCheck<number>>;

function modeSettings(): ModeSettings {
  const rows = chatModes.flatMap((mode) => [
    [`${mode}Mode.model`, text('')],
    [`${mode}Mode.temperature`, number(modeRow(mode).temperature, { min: 0, max: 2 })],
    [`${mode}Mode.maxTokens`, whole(-1, { min: -1, max: 1_000_000 })],
  ]);
  return Object.fromEntries(rows) as ModeSettings;
}

/** All settings with checks and defaults. package.json repeats the defaults and limits. A test compares them. */
export const declared = {
  baseUrl: text('http://localhost:11434', (address) =>
    address.length <= 2048 && /^https?:\/\//i.test(address) ? null : t('Enter an address that starts with http:// or https://.'),
  ),
  storagePath: text('', (path) => (path.includes('\0') ? t('Enter a path without NUL characters.') : null)),
  contextWindow: whole(16000, windowBounds),
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
  'completionMode.languages': booleanRecord(() => t('Enter language names, each with true or false.')),
  'completionMode.template': text('', (template) =>
    template === '' || (template.includes('{prefix}') && template.includes('{suffix}'))
      ? null
      : t('Enter a template that contains {0} and {1}, or leave this setting empty.', '{prefix}', '{suffix}'),
  ),
  'completionMode.nextEdit': flag(false),
  'languageModels.provide': flag(true),
  'languageModels.offerTools': flag(false),
  'chat.model': text(''),
  'chat.implicitContext': flag(true),
  'chat.readAhead': flag(true),
  'agent.maxIterations': whole(25, { min: 1, max: 1000 }),
  'agent.toolTimeout': whole(30000, { min: 1000, max: 3_600_000 }),
  'agent.maxActiveSessions': whole(1, { min: 1, max: 100 }),
  'agent.autoApproveCommands': flag(false),
  'agent.sandbox.enabled': flag(false),
  'agent.sandbox.network': oneOf('ask', ['none', 'ask']),
  'agent.sandbox.allowedHosts': texts([]),
  'agent.sandbox.writablePaths': texts([]),
  'agent.sandbox.readDenied': texts([]),
  'agent.toolCalls': oneOf('auto', toolCallChoices),
  'agent.useModelExam': flag(true),
  'agent.loadTools': flag(true),
  'agent.explorerModel': text(''),
  'agent.instructionFiles': texts([...defaultInstructionFiles]),
  'agent.compactionModel': text(''),
  'agent.sessionTitleGeneration': flag(true),
  'agent.sessionTitleModel': text(''),
  'agent.maxSubagents': whole(1, { min: 1, max: 8 }),
  'agent.maxContextWindow': whole(65536, windowBounds),
  'agent.disabledTools': texts([]),
  'agent.editorTools': texts([]),
  'agent.sensitiveFilePatterns': booleanRecord(() => t('Enter patterns and set each to true or false.')),
  'agent.keepAlive': textOrNumber('30m', /^-?\d+(\.\d+)?(ms|s|m|h)([\d.]+(ms|s|m|h))*$/, () =>
    t('Enter a duration such as 30m or 1h, or a number of seconds. Use -1 for no limit.'),
  ),
  'checkpoints.enabled': flag(true),
  'checkpoints.aroundCommands': flag(true),
  'checkpoints.maxFileSizeMB': whole(50, { min: 1, max: 2_000 }),
  'checkpoints.maxStorageMB': whole(5_000, { min: 100, max: 10_000_000 }),
  'checkpoints.exclude': texts([]),
  'mcp.servers': record(() => t('Enter server names, each with a command or an address.')),
  'embedding.model': text(''),
  'search.enabled': flag(true),
  'search.useLanceDB': flag(false),
  'search.uri': text('', (uri) =>
    uri === '' || /^(?:\/|[a-z]:[\\/]|\\\\|(?:file|s3|gs|az|abfss?):\/\/)[^\0]*$/i.test(uri)
      ? null
      : t('Enter the absolute path of a folder, or an address that starts with {0}.', 's3://, gs://, az://, abfss://'),
  ),
  'search.maxStorageMB': whole(1_000, { min: 10, max: 100_000 }),
  'privacy.localOnly': flag(false),
  'privacy.allowedAddresses': texts([]),
  'privacy.keepConnections': flag(false),
  'privacy.keptRequests': whole(20, { min: 0, max: 500 }),
  'api.enabled': flag(false),
  'api.port': whole(0, { min: 0, max: 65_535 }),
} as const;
