import { t } from '../translate';
import { sandboxItems } from './sandboxItems';
import type { SettingsItem } from './settingsItem';

export function agentItems(): SettingsItem[] {
  const tab = 'agent';
  const sameAsChat = { needs: 'chat', unset: t('Chat model') } as const;
  return [
    {
      tab,
      key: 'agent.maxIterations',
      kind: 'number',
      unit: t('requests'),
      title: t('Maximum steps per message'),
      effect: t('Maximum number of model requests for one message. The agent stops when it reaches this limit.'),
    },
    {
      tab,
      key: 'agent.toolTimeout',
      kind: 'number',
      unit: t('milliseconds'),
      title: t('Tool time limit'),
      effect: t(
        'Time limit for a tool call. For commands, the limit is 120 s, unless the model sets a different limit of up to 10 min.',
      ),
    },
    {
      tab,
      key: 'agent.maxActiveSessions',
      kind: 'number',
      unit: t('chats'),
      title: t('Chats that run at the same time'),
      effect: t('Other chats wait. To run more than one, the server needs enough memory.'),
    },
    {
      tab,
      key: 'agent.instructionFiles',
      kind: 'list',
      title: t('Instruction files'),
      effect: t('Instruction files to send to the model, if the workspace is trusted. The context meter lists them.'),
    },
    {
      tab,
      key: 'agent.toolCalls',
      kind: 'choice',
      title: t('Tool calls'),
      options: [
        { value: 'auto', name: t('Automatic') },
        { value: 'native', name: t('Native') },
        { value: 'prompt', name: t('Tools in the prompt') },
        { value: 'schema', name: t('Tools in the prompt, retry with schema') },
      ],
      effect: t(
        'How tools are passed to models. Automatic uses the model exam results, or the capabilities that the server reports.',
      ),
    },
    {
      tab,
      key: 'agent.useModelExam',
      kind: 'flag',
      title: t('Use model exam results'),
      effect: t(
        'The exam results change the model’s defaults: the tool call format, the order of edit tools, optional tools, and the warning in Agent mode.',
      ),
    },
    {
      tab,
      key: 'agent.loadTools',
      kind: 'flag',
      title: t('Load tools when needed'),
      effect: t(
        'Send only the most important tools with each request, so that the response starts sooner. The model loads other tools when it needs them.',
      ),
    },
    {
      tab,
      key: 'agent.explorerModel',
      kind: 'model',
      other: sameAsChat,
      title: t('Model for subagents'),
      effect: t('Model for subagents that explore the code. If empty, the chat model is used.'),
    },
    {
      tab,
      key: 'search.enabled',
      kind: 'flag',
      title: t('Workspace search index'),
      effect: t('Index the workspace on this computer, so that the agent can search code by keyword and symbol.'),
    },
    {
      tab,
      key: 'embedding.model',
      kind: 'model',
      other: { needs: 'embedding', unset: t('No model') },
      title: t('Embedding model'),
      effect: t(
        'Embedding model on your server. It indexes the workspace while the server is idle. If empty, search uses keywords and symbols only.',
      ),
    },
    {
      tab,
      key: 'search.useLanceDB',
      kind: 'flag',
      title: t('Search vectors with LanceDB'),
      effect: t(
        'Store and search vectors in LanceDB as well, in a separate process. Needs more memory and disk space than the built-in store.',
      ),
    },
    {
      tab,
      key: 'search.uri',
      kind: 'text',
      title: t('Shared team index'),
      effect: t(
        'Folder or address of a shared, read-only LanceDB index for semantic search. It is listed on the Privacy page. If empty, no shared index is searched.',
      ),
    },
    {
      tab,
      key: 'search.maxStorageMB',
      kind: 'number',
      unit: 'MB',
      title: t('Disk space for the search index'),
      effect: t('For each workspace folder. When the limit is reached, new files are not indexed.'),
    },
    {
      tab,
      key: 'agent.compactionModel',
      kind: 'model',
      other: sameAsChat,
      title: t('Model for summaries'),
      effect: t('Summarizes older messages when the context window is almost full. If empty, the chat model is used.'),
    },
    {
      tab,
      key: 'agent.sessionTitleGeneration',
      kind: 'flag',
      title: t('Generate titles with a model'),
      effect: t(
        'Use a model to generate the chat title after the first answer. If off, the title is the start of the first message.',
      ),
    },
    {
      tab,
      key: 'agent.sessionTitleModel',
      kind: 'model',
      other: sameAsChat,
      title: t('Model for titles'),
      effect: t('Generates chat titles. If empty, the chat model is used, unless it is a cloud model.'),
    },
    {
      tab,
      key: 'agent.maxSubagents',
      kind: 'number',
      unit: t('subagents'),
      title: t('Subagents that run at the same time'),
      effect: t('Other subagents wait.'),
    },
    {
      tab,
      key: 'agent.autoApproveCommands',
      kind: 'flag',
      title: t('Run read-only commands without asking'),
      effect: t('In new chats, run commands without asking if they only read the workspace. You can change this for each chat.'),
    },
    ...sandboxItems(),
    {
      tab,
      key: 'agent.sensitiveFilePatterns',
      kind: 'switches',
      title: t('Edit without asking'),
      effect: t('Patterns of sensitive files. On: edit without asking. Off: ask first. The last match wins.'),
    },
  ];
}
