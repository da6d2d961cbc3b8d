import { chatModes } from '../../types/modes';
import { modeTexts } from '../common/modeTexts';
import { t } from '../translate';
import type { SettingsItem } from './settingsItem';

export function chatItems(): SettingsItem[] {
  const tab = 'chat';
  const temperature = t('Randomness of answers, from 0 (most repeatable) to 2.');
  const length = t(
    'Maximum number of tokens in an answer. If -1, the limit is 4,096, or more for a long file or a thinking model.',
  );
  const unit = t('tokens');
  return [
    ...chatModes.map((mode): SettingsItem => {
      return { tab, key: `${mode}Mode.temperature`, kind: 'number', title: modeTexts(mode).temperature, effect: temperature };
    }),
    ...chatModes.map((mode): SettingsItem => {
      return { tab, key: `${mode}Mode.maxTokens`, kind: 'number', unit, title: modeTexts(mode).longestAnswer, effect: length };
    }),
    {
      tab,
      key: 'agent.maxContextWindow',
      kind: 'number',
      unit,
      title: t('Maximum context window'),
      effect: t('Maximum context in tokens, even if the model supports more. A larger window needs more memory.'),
    },
    {
      tab,
      key: 'contextWindow',
      kind: 'number',
      unit,
      title: t('Default context window'),
      effect: t('Used when the model does not report its context length.'),
    },
    {
      tab,
      key: 'languageModels.provide',
      kind: 'flag',
      title: t('Offer models to the editor'),
      effect: t('Show the models in the model picker of the editor, and let other extensions use them.'),
    },
    {
      tab,
      key: 'languageModels.offerTools',
      kind: 'flag',
      title: t('Let other extensions search'),
      effect: t(
        'Other extensions can search the workspace and your chats. Every call needs your approval. The results may leave this computer, because those extensions may use models elsewhere.',
      ),
    },
    {
      tab,
      key: 'chat.implicitContext',
      kind: 'flag',
      title: t('Send the open file and selection'),
      effect: t(
        'Send the name of the open file and the selected lines, shown as chips above the message box. If off, you add them yourself.',
      ),
    },
    {
      tab,
      key: 'chat.readAhead',
      kind: 'flag',
      title: t('Read ahead'),
      effect: t(
        'Let the server read the start of the next request and attached files while a chat is open, so that the answer begins sooner. Applies only if the model is in memory and no chat is running.',
      ),
    },
    {
      tab,
      key: 'agent.keepAlive',
      kind: 'duration',
      title: t('Keep model in memory'),
      effect: t(
        'How long Ollama keeps the model in memory after an answer, such as 30m or 2h. A plain number is in seconds. Use -1 to keep the model loaded indefinitely.',
      ),
    },
  ];
}
