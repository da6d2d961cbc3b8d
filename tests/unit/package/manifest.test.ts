import assert from 'node:assert/strict';
import { findSettingProblem, settingDefaults, type SettingKey } from '../../../src/config/settings';
import { baseScheme } from '../../../src/vscode/review/baseScheme';
import { manifest, manifestTexts, readText } from './manifest';

const prefix = 'ollamaCopilot.';

/**
 * Public command names. Removing or renaming a command or setting breaks users' keybindings, scripts or settings, so these lists only grow.
 */
const publicCommands = [
  ...[
    'openChat',
    'newSession',
    'showHistory',
    'searchHistory',
    'importSessions',
    'chooseEditorTools',
    'openSettings',
    'openPrivacy',
    'openWalkthrough',
    'showLog',
  ],
  ...['exportSession', 'exportAllSessions', 'openAnalytics', 'showRequest'],
  ...['startLocalApi', 'stopLocalApi', 'copyLocalApiAccess'],
  'generateCommitMessage',
  ...['selectModel', 'pullModel', 'setBearerToken', 'chooseServer', 'testConnection'],
  ...['toggleAutoComplete', 'snoozeCompletions', 'acceptCompletionWord', 'acceptCompletionLine'],
  ...['acceptNextEdit', 'dismissNextEdit'],
  ...['addFileToChat', 'addSelectionToChat', 'explain', 'fix', 'editSelection'],
  ...['inlineChat', 'sendInlineChat', 'acceptInlineChat', 'discardInlineChat'],
  ...['regenerateInlineChat', 'followUpInlineChat', 'stopInlineChat', 'closeInlineChat'],
  ...['keepFile', 'undoFile', 'keepAll', 'undoAll', 'openFileReview', 'openFileDiff'],
  ...['keepHunk', 'undoHunk', 'keepSelectedLines', 'undoSelectedLines', 'nextChange', 'previousChange', 'whoWroteThisLine'],
  ...['applyCode', 'discardCode'],
  ...[
    'createCheckpoint',
    'restoreCheckpoint',
    'runModelExam',
    'compareWithCheckpoint',
    'compareFileWithCheckpoint',
    'compareCheckpoints',
  ],
  ...['approveSession', 'resetSession'],
  ...[
    'openStorage',
    'collectGarbage',
    'verifyStorage',
    'recreateMessagesTable',
    'recreateCodeIndex',
    'backupHistory',
    'clearAllData',
  ],
];

/**
 * A repository cannot set `application` and `machine` settings. The `window` settings are those that a repository may make stricter
 * (`workspaceRules`), and the server address, which is used only after the user agrees.
 */
const publicSettings: [key: string, scope: 'window' | 'application' | 'machine', byDefault: unknown][] = [
  ['baseUrl', 'window', 'http://localhost:11434'],
  ['storagePath', 'machine', ''],
  ['contextWindow', 'application', 16000],
  ['chat.model', 'application', ''],
  ['agentMode.model', 'application', ''],
  ['agentMode.temperature', 'application', 0.2],
  ['agentMode.maxTokens', 'application', -1],
  ['planMode.model', 'application', ''],
  ['planMode.temperature', 'application', 0.4],
  ['planMode.maxTokens', 'application', -1],
  ['askMode.model', 'application', ''],
  ['askMode.temperature', 'application', 0.7],
  ['askMode.maxTokens', 'application', -1],
  ['editMode.model', 'application', ''],
  ['editMode.temperature', 'application', 0.2],
  ['editMode.maxTokens', 'application', -1],
  ['chat.implicitContext', 'window', true],
  ['chat.readAhead', 'window', true],
  ['languageModels.provide', 'window', true],
  ['languageModels.offerTools', 'machine', false],
  ['enableAutoComplete', 'window', true],
  ['completionMode.model', 'application', ''],
  ['completionMode.temperature', 'application', 0],
  ['completionMode.maxTokens', 'window', 200],
  ['completionMode.debounceMs', 'application', 0],
  ['completionMode.maxPrefixChars', 'window', 8000],
  ['completionMode.maxSuffixChars', 'window', 4000],
  ['completionMode.multiline', 'window', true],
  ['completionMode.inComments', 'window', true],
  ['completionMode.languages', 'window', {}],
  ['completionMode.template', 'application', ''],
  ['completionMode.nextEdit', 'window', false],
  ['agent.maxIterations', 'window', 25],
  ['agent.toolTimeout', 'application', 30000],
  ['agent.maxActiveSessions', 'window', 1],
  ['agent.autoApproveCommands', 'machine', false],
  ['agent.sandbox.enabled', 'machine', false],
  ['agent.sandbox.network', 'machine', 'ask'],
  ['agent.sandbox.allowedHosts', 'machine', []],
  ['agent.sandbox.writablePaths', 'machine', []],
  ['agent.sandbox.readDenied', 'machine', []],
  ['agent.toolCalls', 'application', 'auto'],
  ['agent.useModelExam', 'application', true],
  ['agent.loadTools', 'application', true],
  ['agent.explorerModel', 'application', ''],
  [
    'agent.instructionFiles',
    'window',
    ['AGENTS.md', '.github/copilot-instructions.md', '.github/instructions', 'CLAUDE.md', '.github/agents'],
  ],
  ['agent.compactionModel', 'application', ''],
  ['agent.sessionTitleGeneration', 'window', true],
  ['agent.sessionTitleModel', 'application', ''],
  ['agent.maxSubagents', 'window', 1],
  ['agent.maxContextWindow', 'application', 65536],
  ['agent.keepAlive', 'application', '30m'],
  ['agent.sensitiveFilePatterns', 'machine', {}],
  ['checkpoints.enabled', 'window', true],
  ['checkpoints.aroundCommands', 'window', true],
  ['checkpoints.maxFileSizeMB', 'application', 50],
  ['checkpoints.maxStorageMB', 'application', 5000],
  ['checkpoints.exclude', 'application', []],
  ['embedding.model', 'application', ''],
  ['search.enabled', 'window', true],
  ['search.useLanceDB', 'machine', false],
  ['search.uri', 'machine', ''],
  ['search.maxStorageMB', 'window', 1000],
  ['agent.disabledTools', 'window', []],
  ['agent.editorTools', 'machine', []],
  ['mcp.servers', 'machine', {}],
  ['privacy.localOnly', 'machine', false],
  ['privacy.allowedAddresses', 'machine', []],
  ['privacy.keepConnections', 'machine', false],
  ['privacy.keptRequests', 'machine', 20],
  ['api.enabled', 'machine', false],
  ['api.port', 'machine', 0],
];

const inOrder = (a = '', b = ''): number => (a < b ? -1 : 1);

/** Returns the title as users see it. */
function titleOf(command: string | undefined): string | undefined {
  const title = manifest.contributes.commands.find((one) => one.command === command)?.title ?? '';
  return manifestTexts[title.replace(/%/g, '')];
}

describe('package.json', () => {
  it('declares exactly the settings that the code reads, with the same defaults', () => {
    const { properties } = manifest.contributes.configuration;
    const declared = Object.fromEntries(Object.entries(properties).map(([key, { default: value }]) => [key, value]));
    const read = Object.fromEntries(Object.entries(settingDefaults()).map(([key, value]) => [`${prefix}${key}`, value]));
    assert.deepEqual(declared, read);
  });

  it('declares a lower and an upper bound for each number, the same ones that the code checks', () => {
    const { properties } = manifest.contributes.configuration;
    const numbers = Object.entries(properties).filter(([, { default: value }]) => typeof value === 'number');
    for (const [name, { type, minimum, maximum }] of numbers) {
      assert.ok(minimum !== undefined && maximum !== undefined, name);
      const key = name.slice(prefix.length) as SettingKey;
      const step = type === 'integer' ? 1 : 0.1;
      const isValid = (value: number) => findSettingProblem(key, value) === null;
      assert.deepEqual([minimum, maximum, minimum - step, maximum + step].map(isValid), [true, true, false, false], name);
    }
  });

  it('keeps the names, scopes and defaults of the settings that people have written down', () => {
    const { properties } = manifest.contributes.configuration;
    const declared = Object.entries(properties).map(([key, { scope, default: value }]) => [key, scope ?? 'window', value]);
    assert.deepEqual(declared.sort(), publicSettings.map(([key, scope, value]) => [`${prefix}${key}`, scope, value]).sort());
  });

  it('keeps the ids of the commands that keys and other extensions call', () => {
    const declared = manifest.contributes.commands.map(({ command }) => command);
    assert.deepEqual(declared.sort(), publicCommands.map((name) => `${prefix}${name}`).sort());
  });

  it('opens the chat and goes through the changes by its keys, those only while there are any', () => {
    const overText = 'ollamaCopilot.nextEditVisible && editorTextFocus && !inlineSuggestionVisible && !suggestWidgetVisible';
    const proposed = 'ollamaCopilot.codeProposed';
    const nothingElse = '!findWidgetVisible && !editorHasSelection && !editorHasMultipleSelections && !editorHoverVisible';
    const keys = manifest.contributes.keybindings.map(({ command, key, mac, when }) => [command, key, mac, when]);
    assert.deepEqual(
      keys.filter(([command, , , when]) => !/inlineChat/i.test(`${command} ${when}`)),
      [
        ['ollamaCopilot.openChat', 'ctrl+alt+i', 'cmd+alt+i', undefined],
        ['ollamaCopilot.nextChange', 'alt+f5', undefined, 'ollamaCopilot.reviewActive'],
        ['ollamaCopilot.previousChange', 'shift+alt+f5', undefined, 'ollamaCopilot.reviewActive'],
        ['ollamaCopilot.keepHunk', 'ctrl+alt+enter', 'cmd+alt+enter', 'editorTextFocus && ollamaCopilot.onHunk'],
        ['ollamaCopilot.undoHunk', 'ctrl+alt+backspace', 'cmd+alt+backspace', 'editorTextFocus && ollamaCopilot.onHunk'],
        ['ollamaCopilot.applyCode', 'ctrl+alt+enter', 'cmd+alt+enter', `editorTextFocus && ${proposed}`],
        ['ollamaCopilot.discardCode', 'escape', undefined, `editorTextFocus && ${proposed} && ${nothingElse}`],
        ['ollamaCopilot.openFileDiff', 'shift+alt+v', 'shift+cmd+alt+d', 'ollamaCopilot.fileInReview'],
        ['ollamaCopilot.acceptCompletionLine', 'ctrl+alt+right', 'cmd+alt+right', 'inlineSuggestionVisible && !editorReadonly'],
        ['ollamaCopilot.acceptNextEdit', 'tab', undefined, `${overText} && !inSnippetMode && !editorTabMovesFocus`],
        ['ollamaCopilot.dismissNextEdit', 'escape', undefined, overText],
      ],
    );
  });

  it('opens the inline chat by its own key and, where the editor has none of its own, by the usual one', () => {
    const keys = manifest.contributes.keybindings.filter(({ command }) => command === 'ollamaCopilot.inlineChat');
    const inEditor = 'editorTextFocus && !editorReadonly';
    const inFile = '!commentEditorFocused';
    assert.deepEqual(
      keys.map(({ key, mac, when }) => [key, mac, when]),
      [
        [
          'ctrl+i',
          'cmd+i',
          `${inEditor} && !suggestWidgetVisible && !inlineChatHasEditsAgent && !inlineChatHasProvider && ${inFile}`,
        ],
        ['ctrl+alt+e', 'cmd+alt+e', `${inEditor} && ${inFile}`],
      ],
    );
  });

  it('takes keys in the text box of the inline chat and in no other comment', () => {
    const keys = manifest.contributes.keybindings.filter(({ when = '' }) => when.startsWith('commentEditorFocused'));
    const box = 'commentEditorFocused && commentController == ollamaCopilot.inlineChat && !suggestWidgetVisible';
    assert.deepEqual(
      keys.map(({ key, command, when }) => [key, command, when]),
      [
        ['enter', 'editor.action.submitComment', box],
        ['escape', 'ollamaCopilot.closeInlineChat', box],
      ],
    );
  });

  it('has Keep and Undo in the peek of the editor only over our own base, whose context key no documentation names', () => {
    const peek = manifest.contributes.menus['scm/change/title'] ?? [];
    assert.deepEqual(
      peek.map(({ command, when }) => [command, when]),
      ['keepHunk', 'undoHunk'].map((name) => [`${prefix}${name}`, `originalResourceScheme == ${baseScheme}`]),
    );
  });

  it('offers the review in the title, at the line numbers and in the palette only where it can be used', () => {
    const { menus } = manifest.contributes;
    const inFile = 'ollamaCopilot.fileInReview';
    const title = (menus['editor/title'] ?? []).filter(({ when }) => when === inFile);
    // At most three icons. Everything else is in the menu of the third icon.
    assert.deepEqual(
      title.map(({ command, submenu }) => (command ?? submenu)?.slice(prefix.length)),
      ['previousChange', 'nextChange', 'review'],
    );
    assert.deepEqual(
      (menus[`${prefix}review`] ?? []).map(({ command }) => command?.slice(prefix.length)),
      ['keepFile', 'undoFile', 'openFileDiff', 'keepAll', 'undoAll'],
    );
    const lines = (menus['editor/lineNumber/context'] ?? []).map(({ command }) => command?.slice(prefix.length));
    assert.deepEqual(lines, ['keepHunk', 'undoHunk', 'whoWroteThisLine']);
    const palette = new Map((menus['commandPalette'] ?? []).map(({ command, when }) => [command?.slice(prefix.length), when]));
    assert.deepEqual(
      ['keepHunk', 'undoHunk', 'keepSelectedLines', 'nextChange', 'openFileDiff'].map((name) => palette.get(name)),
      [
        'ollamaCopilot.onHunk',
        'ollamaCopilot.onHunk',
        `${inFile} && editorHasSelection`,
        'ollamaCopilot.reviewActive',
        'ollamaCopilot.hasChanges && editorIsOpen',
      ],
    );
  });

  it('has New chat, History and Settings as icons in the title of the view, and what is rarely needed in its menu', () => {
    const inChat = 'view == ollamaCopilot.chatView && ollamaCopilot.hasSession';
    const actions = [...(manifest.contributes.menus['view/title'] ?? [])].sort((a, b) => inOrder(a.group, b.group));
    assert.deepEqual(
      actions.map(({ command, when, group }) => [titleOf(command), when, group?.split('@')[0]]),
      [
        ...['Create Checkpoint…', 'Restore Checkpoint…', 'Export Chat…'].map((title) => [title, inChat, '1_chat']),
        ['Import Chats…', 'view == ollamaCopilot.chatView', '1_chat'],
        ...['Analytics', 'Privacy Settings'].map((title) => [title, 'view == ollamaCopilot.chatView', '2_data']),
        ...['Open Walkthrough', 'Show Log'].map((title) => [title, 'view == ollamaCopilot.chatView', '3_help']),
        ...['New chat', 'History', 'Settings'].map((title) => [title, 'view == ollamaCopilot.chatView', 'navigation']),
      ],
    );
  });

  it('has a walkthrough of five steps, each with one button, a picture in the colours of the theme, and words for it', () => {
    const [{ steps } = { steps: [] }] = manifest.contributes.walkthroughs;
    assert.equal(steps.length, 5);
    for (const { id, description, media } of steps) {
      const text = manifestTexts[description.replace(/%/g, '')] ?? '';
      const buttons = text.split('\n').filter((line) => /^\[[^\]]+\]\(command:ollamaCopilot\.\w+\)$/.test(line));
      assert.equal(buttons.length, 1, id);
      // A walkthrough renders no Markdown except links.
      assert.doesNotMatch(text, /[`*]/, id);
      assert.ok((manifestTexts[media.altText.replace(/%/g, '')] ?? '').length > 20, id);
      const picture = readText(media.svg);
      assert.ok(picture.length < 10_000, id);
      // The image has no custom colours, and contains nothing that the page's content security policy blocks.
      assert.doesNotMatch(picture, /<style|style=|<script|href|#[\da-f]{3,6}\b|rgb/i, id);
    }
  });

  it('names in its menus and keys only commands that there are', () => {
    const { menus, keybindings, commands } = manifest.contributes;
    const named = [...Object.values(menus).flat(), ...keybindings].flatMap(({ command }) => command ?? []);
    const declared = new Set(['editor.action.submitComment', ...commands.map(({ command }) => command)]);
    assert.deepEqual(
      named.filter((command) => !declared.has(command)),
      [],
    );
  });

  it('is the extension, with the view and the trust, that others know', () => {
    const { publisher, name, displayName, license, engines, capabilities, contributes } = manifest;
    assert.deepEqual(
      [`${publisher}.${name}`, displayName, license, engines.vscode],
      ['ollama-copilot.ollama-copilot', 'Ollama Copilot', 'MIT', '^1.105.0'],
    );
    const { supported, restrictedConfigurations } = capabilities.untrustedWorkspaces;
    assert.deepEqual(
      [supported, restrictedConfigurations, capabilities.virtualWorkspaces],
      ['limited', ['ollamaCopilot.baseUrl'], false],
    );
    const containers = contributes.viewsContainers.activitybar.map(({ id }) => id);
    const views = containers.flatMap((id) => contributes.views[id] ?? []).map(({ id, type }) => [id, type]);
    assert.deepEqual(views, [['ollamaCopilot.chatView', 'webview']]);
  });

  it('gives every command the category and a title, both translatable', () => {
    const faulty = manifest.contributes.commands.filter(
      ({ title, category }) => category !== '%commands.category%' || !/^%commands\.\w+%$/.test(title),
    );
    assert.deepEqual(faulty, []);
  });

  it('declares every command and every text once', () => {
    const twice = (names: readonly string[]) => names.filter((name, index) => names.indexOf(name) !== index);
    assert.deepEqual(twice(manifest.contributes.commands.map(({ command }) => command)), []);
    for (const name of ['package.nls.json', 'package.nls.de.json']) {
      assert.deepEqual(twice([...readText(name).matchAll(/^ {2}"([\w.]+)":/gm)].map(([, key]) => key ?? '')), []);
    }
  });

  it('uses exactly the texts that package.nls.json has', () => {
    const used = [...readText('package.json').matchAll(/"%([\w.]+)%"/g)].map(([, key]) => key ?? '');
    assert.deepEqual([...new Set(used)].sort(), Object.keys(manifestTexts).sort());
  });

  it('describes every setting', () => {
    const silent = Object.entries(manifest.contributes.configuration.properties).filter(
      ([, { markdownDescription, description }]) => !(markdownDescription ?? description),
    );
    assert.deepEqual(silent, []);
  });
});
