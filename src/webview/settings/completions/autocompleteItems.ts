import { t } from '../../translate';
import type { SettingsItem } from '../settingsItem';

export function autocompleteItems(): SettingsItem[] {
  const tab = 'autocomplete';
  const characters = t('characters');
  return [
    {
      tab,
      key: 'enableAutoComplete',
      kind: 'flag',
      title: t('Suggest as you type'),
      effect: t('Show suggestions as you type. Press Tab to accept. If off, press Alt+\\ to get one.'),
    },
    {
      tab,
      key: 'completionModels',
      kind: 'part',
      title: t('Model for inline suggestions'),
      effect: t('The model must support fill-in-the-middle (FIM). Each model is tested before it is used.'),
    },
    {
      tab,
      key: 'completionMode.model',
      kind: 'text',
      title: t('Name of the model for inline suggestions'),
      effect: t('If empty, inline suggestions are off and no requests are sent for them.'),
    },
    {
      tab,
      key: 'completionMode.multiline',
      kind: 'flag',
      title: t('Multiple lines'),
      effect: t('Suggest multiple lines at the start of a block. Elsewhere, suggest one line.'),
    },
    {
      tab,
      key: 'completionMode.inComments',
      kind: 'flag',
      title: t('Suggest in comments'),
      effect: t('If off, suggestions are shown only in code.'),
    },
    {
      tab,
      key: 'completionMode.languages',
      kind: 'switches',
      title: t('Languages'),
      effect: t('Turn suggestions on or off by language, such as markdown. “*” sets all other languages.'),
    },
    {
      tab,
      key: 'completionMode.debounceMs',
      kind: 'number',
      unit: t('milliseconds'),
      title: t('Delay after a keystroke'),
      effect: t('Minimum time to wait after a keystroke. If 0, the wait adapts to your typing and the speed of the model.'),
    },
    {
      tab,
      key: 'completionMode.maxTokens',
      kind: 'number',
      unit: t('tokens'),
      title: t('Maximum suggestion length'),
      effect: t('Maximum number of tokens in an inline suggestion.'),
    },
    {
      tab,
      key: 'completionMode.temperature',
      kind: 'number',
      title: t('Temperature of suggestions'),
      effect: t('Randomness of suggestions, from 0 (most repeatable) to 2.'),
    },
    {
      tab,
      key: 'completionMode.maxPrefixChars',
      kind: 'number',
      unit: characters,
      title: t('Text before the cursor'),
      effect: t('Maximum number of characters to send to the model.'),
    },
    {
      tab,
      key: 'completionMode.maxSuffixChars',
      kind: 'number',
      unit: characters,
      title: t('Text after the cursor'),
      effect: t('Maximum number of characters to send to the model.'),
    },
    {
      tab,
      key: 'completionMode.template',
      kind: 'text',
      title: t('Prompt template'),
      effect: t(
        'Prompt template for models of an unknown family. It contains the special tokens of the model, {0} and {1}.',
        '{prefix}',
        '{suffix}',
      ),
    },
    {
      tab,
      key: 'completionMode.nextEdit',
      kind: 'flag',
      title: t('Next edit suggestions (experimental)'),
      effect: t('If an edit causes a problem, suggest a corrected line. Press Tab to accept.'),
    },
    {
      tab,
      key: 'completionFigures',
      kind: 'part',
      title: t('Last 30 days'),
      effect: t('Counted and stored on this computer only.'),
    },
  ];
}
