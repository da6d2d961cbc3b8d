import { chatModes } from '../../types/modes';
import { modeTexts } from '../common/modeTexts';
import { t } from '../translate';
import { agentItems } from './agentItems';
import { chatItems } from './chatItems';
import { autocompleteItems } from './completions/autocompleteItems';
import { privacyItems } from './privacy/privacyItems';
import type { SettingsItem, SettingsTab } from './settingsItem';

export type { PartItem, SettingsItem, SettingsTab } from './settingsItem';

export function settingsTabs(): { value: SettingsTab; name: string }[] {
  return [
    { value: 'connection', name: t('Connection') },
    { value: 'models', name: t('Models') },
    { value: 'chat', name: t('Chat') },
    { value: 'agent', name: t('Agent') },
    { value: 'autocomplete', name: t('Autocomplete') },
    { value: 'tools', name: t('Tools') },
    { value: 'checkpoints', name: t('Checkpoints') },
    { value: 'privacy', name: t('Privacy') },
    { value: 'advanced', name: t('Advanced') },
  ];
}

export function settingsItems(): SettingsItem[] {
  return [connection, models, chatItems, agentItems, autocompleteItems, tools, checkpoints, privacyItems, advanced].flatMap(
    (items) => items(),
  );
}

/** Returns the item of a setting, for texts that name the setting. */
export function settingItem(key: string): Pick<SettingsItem, 'title' | 'tab'> {
  const found = settingsItems().find((item) => item.key === key);
  if (found === undefined) throw new Error(`No such setting: ${key}`);
  return found;
}

/** Returns the items that contain every word of the query. The query can also be an ID or the name that VS Code shows for it. */
export function findItems(items: readonly SettingsItem[], query: string): SettingsItem[] {
  const words = query
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.replace(/^(@id:)?ollamacopilot\./, '').replace(/[:›>]+$/, ''));
  return items.filter(({ key, title, effect, tab }) => {
    const name = settingsTabs().find(({ value }) => value === tab)?.name ?? '';
    const text = `${key} ${spacedName(key)} ${title} ${effect} ${name}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** Splits a key into words in the same way as VS Code: `agent.keepAlive` becomes `agent keep Alive`. */
function spacedName(key: string): string {
  return key.replace(/\./g, ' ').replace(/(\p{Ll})(\p{Lu})/gu, '$1 $2');
}

function connection(): SettingsItem[] {
  const tab = 'connection';
  return [
    {
      tab,
      key: 'baseUrl',
      kind: 'text',
      title: t('Server address'),
      effect: t('Address of your Ollama server. All model requests go to this address only.'),
    },
    { tab, key: 'server', kind: 'part', title: t('Connection'), effect: t('Server status and version.') },
    {
      tab,
      key: 'token',
      kind: 'part',
      title: t('Access token'),
      effect: t('Only for servers that require authentication. A local Ollama does not.'),
    },
  ];
}

function models(): SettingsItem[] {
  const tab = 'models';
  return [
    {
      tab,
      key: 'chat.model',
      kind: 'model',
      title: t('Model for the chat'),
      effect: t('The model that you picked in the chat. Modes with a separate model do not use it.'),
    },
    ...chatModes.map((mode): SettingsItem => {
      const [title, effect] = modeTexts(mode).model;
      return { tab, key: `${mode}Mode.model`, kind: 'model', mode, title, effect };
    }),
    {
      tab,
      key: 'modelTable',
      kind: 'part',
      title: t('Models on the server'),
      effect: t('Pull, delete and unload models, and choose which models the pickers show.'),
    },
    {
      tab,
      key: 'hardwareFit',
      kind: 'part',
      title: t('Hardware fit'),
      effect: t('Measured memory, speed and context window of each model. Models are loaded only when you start a measurement.'),
    },
    {
      tab,
      key: 'memoryPlan',
      kind: 'part',
      title: t('Memory plan'),
      effect: t('Memory that the models for chat, inline suggestions and search need together.'),
    },
  ];
}

function tools(): SettingsItem[] {
  const tab = 'tools';
  return [
    {
      tab,
      key: 'mcpServers',
      kind: 'part',
      title: t('MCP servers'),
      effect: t('External tool servers (MCP). Every call needs your approval.'),
    },
    {
      tab,
      key: 'mcp.servers',
      kind: 'editor',
      title: t('Your servers'),
      effect: t('Servers by name, each with a command or an address.'),
    },
    {
      tab,
      key: 'agent.editorTools',
      kind: 'list',
      title: t('Tools from other extensions'),
      effect: t(
        'Names of tools that the agent can call. Every call needs your approval. The command “Choose Tools from Extensions…” lists them.',
      ),
    },
    {
      tab,
      key: 'agent.disabledTools',
      kind: 'list',
      title: t('Disabled tools'),
      effect: t('Names of disabled tools, built-in or MCP.'),
    },
  ];
}

function checkpoints(): SettingsItem[] {
  const tab = 'checkpoints';
  return [
    {
      tab,
      key: 'checkpoints.enabled',
      kind: 'flag',
      title: t('Checkpoints'),
      effect: t('Create a checkpoint of the workspace before each message, so that you can restore it.'),
    },
    {
      tab,
      key: 'checkpoints.aroundCommands',
      kind: 'flag',
      title: t('Checkpoints around commands'),
      effect: t('Create checkpoints before and after each command that the agent runs.'),
    },
    {
      tab,
      key: 'checkpoints.maxFileSizeMB',
      kind: 'number',
      unit: 'MB',
      title: t('Maximum file size'),
      effect: t('Larger files are listed but not stored, so they cannot be restored.'),
    },
    {
      tab,
      key: 'checkpoints.maxStorageMB',
      kind: 'number',
      unit: 'MB',
      title: t('Disk space for checkpoints'),
      effect: t('You are notified when the limit is reached. Nothing is deleted automatically.'),
    },
    {
      tab,
      key: 'checkpoints.exclude',
      kind: 'list',
      title: t('Excluded files'),
      effect: t('One .gitignore pattern per item. A pattern that starts with ! includes files that another rule excludes.'),
    },
    {
      tab,
      key: 'stored',
      kind: 'part',
      title: t('Stored checkpoints'),
      effect: t('Stored on this computer. Identical file content is stored only once for all checkpoints and chats.'),
    },
  ];
}

function advanced(): SettingsItem[] {
  const tab = 'advanced';
  return [
    {
      tab,
      key: 'index',
      kind: 'part',
      title: t('Workspace search index'),
      effect: t('Lets the agent search code by keyword, symbol and meaning. The index stays on this computer.'),
    },
    {
      tab,
      key: 'upkeep',
      kind: 'part',
      title: t('Maintenance'),
      effect: t('Each action asks for your confirmation before it changes anything.'),
    },
    {
      tab,
      key: 'api.enabled',
      kind: 'flag',
      title: t('Local API'),
      effect: t('Other programs on this computer can read chats. They need your approval to change anything.'),
    },
    {
      tab,
      key: 'api.port',
      kind: 'number',
      title: t('Port of the local API'),
      effect: t('Port on this computer. If 0, a free port is used. Takes effect the next time the API starts.'),
    },
  ];
}
