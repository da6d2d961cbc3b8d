import { chatModes } from '../../types/modes';
import { modeTexts } from '../common/modeTexts';
import { t } from '../translate';
import { autocompleteItems } from './completions/autocompleteItems';
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

/** Lists everything on the settings page, in order. */
export function settingsItems(): SettingsItem[] {
  return [
    ...connection(),
    ...models(),
    ...chat(),
    ...agent(),
    ...autocompleteItems(),
    ...tools(),
    ...checkpoints(),
    ...privacy(),
    ...advanced(),
  ];
}

/** Returns the items that have every word of the query somewhere. */
export function findItems(items: readonly SettingsItem[], query: string): SettingsItem[] {
  const words = query.toLowerCase().split(/\s+/);
  return items.filter(({ key, title, effect, tab }) => {
    const name = settingsTabs().find(({ value }) => value === tab)?.name ?? '';
    const text = `${key} ${title} ${effect} ${name}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

function connection(): SettingsItem[] {
  const tab = 'connection';
  return [
    {
      ...{ tab, key: 'baseUrl', kind: 'text', title: t('Server address') },
      effect: t('Where Ollama answers. Requests to models go there and nowhere else.'),
    },
    { tab, key: 'server', kind: 'part', title: t('Connection'), effect: t('Whether the server answers, and its version.') },
    {
      ...{ tab, key: 'token', kind: 'part', title: t('Bearer token') },
      effect: t('For a server that lets nobody in without one. Ollama itself needs none.'),
    },
  ];
}

function models(): SettingsItem[] {
  const tab = 'models';
  return [
    ...chatModes.map((mode): SettingsItem => {
      const [title, effect] = modeTexts(mode).model;
      return { tab, key: `${mode}Mode.model`, kind: 'model', mode, title, effect };
    }),
    {
      ...{ tab, key: 'modelTable', kind: 'part', title: t('Models on the server') },
      effect: t('Pull, delete and unload models, and choose which ones the pickers offer.'),
    },
  ];
}

function chat(): SettingsItem[] {
  const tab = 'chat';
  const temperature = t('How varied the answers are, from 0 (most repeatable) to 2.');
  const length = t('Maximum tokens of one answer. With -1 the limit is 4,096, more for a long file or a model that thinks.');
  const unit = t('tokens');
  return [
    ...chatModes.map((mode): SettingsItem => {
      return { tab, key: `${mode}Mode.temperature`, kind: 'number', title: modeTexts(mode).temperature, effect: temperature };
    }),
    ...chatModes.map((mode): SettingsItem => {
      return { tab, key: `${mode}Mode.maxTokens`, kind: 'number', unit, title: modeTexts(mode).longestAnswer, effect: length };
    }),
    {
      ...{ tab, key: 'agent.maxContextWindow', kind: 'number', unit, title: t('Largest context window') },
      effect: t('At the most so many tokens, also where the model could take more. A larger window needs more memory.'),
    },
    {
      ...{ tab, key: 'contextWindow', kind: 'number', unit, title: t('Context window of other models') },
      effect: t('For models that do not say how much they can take.'),
    },
    {
      ...{ tab, key: 'languageModels.provide', kind: 'flag', title: t('Offer the models to the editor') },
      effect: t('They are in the editor’s own model picker, and other extensions may use them.'),
    },
    {
      ...{ tab, key: 'languageModels.offerTools', kind: 'flag', title: t('Let other extensions search') },
      effect: t(
        'The workspace and your conversations, each time after asking. What they find may leave this machine: their models may run elsewhere.',
      ),
    },
    {
      ...{ tab, key: 'chat.implicitContext', kind: 'flag', title: t('Send what is in the editor') },
      effect: t(
        'The open file’s name and the selected lines, while they are shown above the message. Off: they are only offered.',
      ),
    },
    {
      ...{ tab, key: 'agent.keepAlive', kind: 'duration', title: t('Keep the model in memory') },
      effect: t('How long after an answer, such as 30m or 2h. A number means seconds, -1 for ever.'),
    },
  ];
}

function agent(): SettingsItem[] {
  const tab = 'agent';
  return [
    {
      ...{ tab, key: 'agent.maxIterations', kind: 'number', unit: t('requests'), title: t('Steps for one message') },
      effect: t('How often the agent may ask the model before it stops and says so.'),
    },
    {
      ...{ tab, key: 'agent.toolTimeout', kind: 'number', unit: t('milliseconds'), title: t('Time for a tool') },
      effect: t('How long a tool may take. Commands have their own limit.'),
    },
    {
      ...{ tab, key: 'agent.maxActiveSessions', kind: 'number', unit: t('chats'), title: t('Chats that work at the same time') },
      effect: t('Others wait their turn. More than one needs a server with room for it.'),
    },
    {
      ...{ tab, key: 'agent.instructionFiles', kind: 'list', title: t('Instruction files') },
      effect: t('The model is given what these files of a trusted workspace say. The context meter lists them.'),
    },
    {
      ...{ tab, key: 'agent.explorerModel', kind: 'text', title: t('Model for explorations') },
      effect: t('Looks around for the agent, in a window of its own. Empty: the model of the chat.'),
    },
    {
      ...{ tab, key: 'search.enabled', kind: 'flag', title: t('Search index of the workspace') },
      effect: t('Kept on this machine, so that the agent finds code by words and names.'),
    },
    {
      ...{ tab, key: 'embedding.model', kind: 'text', title: t('Model for finding code by meaning') },
      effect: t('Embeds the code of the workspace on your server, while nobody else needs it. Empty: words and names only.'),
    },
    {
      ...{ tab, key: 'search.useLanceDB', kind: 'flag', title: t('Search vectors with LanceDB') },
      effect: t('In a process of its own, where this package has LanceDB. Takes more memory and disk than the built-in store.'),
    },
    {
      ...{ tab, key: 'search.uri', kind: 'text', title: t('Shared index of your team') },
      effect: t('A folder or an address of LanceDB, only read and searched by meaning. Empty: none. Named on the page Privacy.'),
    },
    {
      ...{ tab, key: 'search.maxStorageMB', kind: 'number', unit: 'MB', title: t('Room for the search index') },
      effect: t('For each folder of the workspace; new files are left out beyond it.'),
    },
    {
      ...{ tab, key: 'agent.compactionModel', kind: 'text', title: t('Model for summaries') },
      effect: t('Sums up what is old when the window is nearly full. Empty: the model of the chat.'),
    },
    {
      ...{ tab, key: 'agent.sessionTitleGeneration', kind: 'flag', title: t('Titles by a model') },
      effect: t('A model names a chat once its first message is answered. Otherwise its first words are the title.'),
    },
    {
      ...{ tab, key: 'agent.sessionTitleModel', kind: 'text', title: t('Model for titles') },
      effect: t('Names chats. Empty: the model of the chat.'),
    },
    {
      ...{ tab, key: 'agent.maxSubagents', kind: 'number', unit: t('explorations'), title: t('Explorations at the same time') },
      effect: t('Others wait their turn.'),
    },
    {
      ...{ tab, key: 'agent.autoApproveCommands', kind: 'flag', title: t('Run safe commands without asking') },
      effect: t('In new chats: commands that only read run at once. Every chat can be told otherwise.'),
    },
    {
      ...{ tab, key: 'agent.sensitiveFilePatterns', kind: 'switches', title: t('Edit without asking') },
      effect: t('Patterns of sensitive files. On: they are edited at once. Off: you are asked first. The last match decides.'),
    },
  ];
}

function tools(): SettingsItem[] {
  const tab = 'tools';
  return [
    {
      ...{ tab, key: 'mcpServers', kind: 'part', title: t('MCP servers') },
      effect: t('Servers that others have written, whose tools the agent may use. Each call is asked about.'),
    },
    {
      ...{ tab, key: 'mcp.servers', kind: 'editor', title: t('Servers of your own') },
      effect: t('Each by its name, with a command or an address.'),
    },
    {
      ...{ tab, key: 'agent.editorTools', kind: 'list', title: t('Tools of other extensions') },
      effect: t(
        'Names of tools that the agent may call, each time after asking. The command “Choose Tools of Other Extensions…” lists them.',
      ),
    },
    {
      ...{ tab, key: 'agent.disabledTools', kind: 'list', title: t('Tools that are off') },
      effect: t('The model is not told of them: names, ours and those of servers.'),
    },
  ];
}

function checkpoints(): SettingsItem[] {
  const tab = 'checkpoints';
  return [
    {
      ...{ tab, key: 'checkpoints.enabled', kind: 'flag', title: t('Checkpoints') },
      effect: t('Store the state of the workspace before each message, so that it can be brought back.'),
    },
    {
      ...{ tab, key: 'checkpoints.aroundCommands', kind: 'flag', title: t('Checkpoints around commands') },
      effect: t('Store it around each command that the agent runs, too.'),
    },
    {
      ...{ tab, key: 'checkpoints.maxFileSizeMB', kind: 'number', unit: 'MB', title: t('Largest file') },
      effect: t('Larger files are noted but not stored, so they cannot be brought back.'),
    },
    {
      ...{ tab, key: 'checkpoints.maxStorageMB', kind: 'number', unit: 'MB', title: t('Room for checkpoints') },
      effect: t('You are told when the limit is reached. Nothing is deleted automatically.'),
    },
    {
      ...{ tab, key: 'checkpoints.exclude', kind: 'list', title: t('Files that are not stored') },
      effect: t('One pattern an item, as in a .gitignore; with ! in front it stores what another rule leaves out.'),
    },
    {
      ...{ tab, key: 'stored', kind: 'part', title: t('What is stored') },
      effect: t('On this machine, each file content once, whatever number of checkpoints and chats have it.'),
    },
  ];
}

function privacy(): SettingsItem[] {
  const tab = 'privacy';
  return [
    {
      ...{ tab, key: 'leaves', kind: 'part', title: t('What leaves this machine') },
      effect: t('Requests to your server, and nothing else.'),
    },
    {
      ...{ tab, key: 'kept', kind: 'part', title: t('Where conversations are kept') },
      effect: t('In a storage folder on this machine.'),
    },
    {
      ...{ tab, key: 'storagePath', kind: 'text', title: t('Storage folder') },
      effect: t('The whole path of another folder for conversations. It is used after the window is reloaded; nothing is moved.'),
    },
  ];
}

function advanced(): SettingsItem[] {
  const tab = 'advanced';
  return [
    {
      ...{ tab, key: 'index', kind: 'part', title: t('Search index of the workspace') },
      effect: t('By it the agent finds code by words, names and meaning. It stays on this machine.'),
    },
    {
      ...{ tab, key: 'upkeep', kind: 'part', title: t('Upkeep') },
      effect: t('Each of these asks or tells what it does before anything is changed.'),
    },
    {
      ...{ tab, key: 'api.enabled', kind: 'flag', title: t('Local API') },
      effect: t('Other programs of yours on this machine can read sessions. They ask here before they change anything.'),
    },
    {
      ...{ tab, key: 'api.port', kind: 'number', title: t('Port of the local API') },
      effect: t('On this machine alone; 0 takes a free one. It is used when the API is started again.'),
    },
  ];
}
