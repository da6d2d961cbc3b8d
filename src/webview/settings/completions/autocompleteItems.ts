import { t } from '../../translate';
import type { SettingsItem } from '../settingsItem';

/** Lists the settings of suggestions while typing, in order. */
export function autocompleteItems(): SettingsItem[] {
  const tab = 'autocomplete';
  const characters = t('characters');
  return [
    {
      ...{ tab, key: 'enableAutoComplete', kind: 'flag', title: t('Suggest while typing') },
      effect: t('Grey text at the cursor, which Tab takes. Off: only when you ask for it (Alt+\\).'),
    },
    {
      ...{ tab, key: 'completionModels', kind: 'part', title: t('Model for suggestions') },
      effect: t('It has to fill in the middle of a text. Each is tested before it is used.'),
    },
    {
      ...{ tab, key: 'completionMode.model', kind: 'text', title: t('Name of the model for suggestions') },
      effect: t('Empty: no suggestions, and nothing is asked.'),
    },
    {
      ...{ tab, key: 'completionMode.multiline', kind: 'flag', title: t('Several lines') },
      effect: t('Where a block begins; elsewhere it is one line.'),
    },
    { tab, key: 'completionMode.inComments', kind: 'flag', title: t('In comments too'), effect: t('Off: only in code.') },
    {
      ...{ tab, key: 'completionMode.languages', kind: 'switches', title: t('Languages') },
      effect: t('Names such as markdown, on or off. The name “*” stands for all that are not listed.'),
    },
    {
      ...{ tab, key: 'completionMode.debounceMs', kind: 'number', unit: t('milliseconds'), title: t('Wait after a key') },
      effect: t('At the least. With 0 it follows your typing and the speed of the model.'),
    },
    {
      ...{ tab, key: 'completionMode.maxTokens', kind: 'number', unit: t('tokens'), title: t('Longest suggestion') },
      effect: t('A suggestion is not longer than this.'),
    },
    {
      ...{ tab, key: 'completionMode.temperature', kind: 'number', title: t('Temperature of suggestions') },
      effect: t('How varied they are, from 0 (most repeatable) to 2.'),
    },
    {
      ...{ tab, key: 'completionMode.maxPrefixChars', kind: 'number', unit: characters, title: t('Text before the cursor') },
      effect: t('So much of it the model is given at the most.'),
    },
    {
      ...{ tab, key: 'completionMode.maxSuffixChars', kind: 'number', unit: characters, title: t('Text after the cursor') },
      effect: t('So much of it the model is given at the most.'),
    },
    {
      ...{ tab, key: 'completionMode.template', kind: 'text', title: t('Template of the prompt') },
      effect: t('For a model of an unknown family: its own tokens around {0} and {1}.', '{prefix}', '{suffix}'),
    },
    {
      ...{ tab, key: 'completionMode.nextEdit', kind: 'flag', title: t('Rewrite lines with problems (experimental)') },
      effect: t('Where an edit brings a problem, the line is offered rewritten, and Tab takes it.'),
    },
    {
      ...{ tab, key: 'completionFigures', kind: 'part', title: t('The last 30 days') },
      effect: t('Counted on this machine, and kept there.'),
    },
  ];
}
