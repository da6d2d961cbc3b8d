import { now, scenario, session } from './base.mjs';
import { worked } from './tasks.mjs';

const row = (index, title, minutes, more = {}) => ({
  id: `h${index}`,
  title,
  mode: 'agent',
  model: 'qwen3:14b',
  state: 'idle',
  createdAt: now,
  updatedAt: now - minutes * 60_000,
  ...more,
});

export const history = [
  row(1, 'Validate the signup form', 0, { state: 'running' }),
  row(2, 'Why does the build fail on Windows only, and what could be done about it?', 12, { state: 'waiting' }),
  row(3, 'Difference between a process and a thread', 75, { mode: 'ask' }),
  row(4, 'Rename the module', 60 * 7, { state: 'failed' }),
  row(5, '正規表現でISO日付を検証する', 60 * 30, { mode: 'ask' }),
  row(6, 'Write a README', 60 * 24 * 3, { state: 'interrupted' }),
  row(7, 'Migrate to Node 24', 60 * 24 * 40, { state: 'elsewhere' }),
  ...Array.from({ length: 20 }, (_, index) =>
    row(index + 8, `Conversation number ${index + 1}`, 60 * 24 * (50 + index * 3), { mode: 'ask', isImported: index % 3 === 0 }),
  ),
];

/** Returns the text and matches of a search result. `[` and `]` enclose a match. */
const markedText = (text) => {
  const marks = [...text.matchAll(/\[(.*?)\]/g)].map(({ index, 1: word }, before) => [
    index - 2 * before,
    index - 2 * before + word.length,
  ]);
  return { text: text.replace(/[[\]]/g, ''), marks };
};

const hit = (session, title, line) => ({
  session,
  title: markedText(title ?? session.title),
  line: line === null ? null : { ...markedText(line), seq: 1 },
});

const found = [
  hit(history[0], 'Validate the signup [form]', "I'll look at the [form] and its tests first."),
  hit(
    history[1],
    null,
    '…the build writes dist/forms/index.js with a capital letter, and the [form] imports it with a small one, which only Windows forgives, so that the…',
  ),
  hit(history[2], null, '+  if (!email.includes("@")) return show([form], "Enter an e-mail address");'),
  hit(history[4], null, '検証は[form]要素のsubmitイベントで行います。'),
  hit(history[5], 'Write a README for the [form]', null),
];

export const historyScenarios = {
  history: { ...scenario({ history, hasMoreHistory: true }), do: ['history'] },
  'history-end': { ...scenario({ history, hasMoreHistory: true }), do: ['history', 'key End'] },
  'history-empty': { ...scenario({}), do: ['history'] },
  'history-failed': { ...scenario({ history: 'failing' }), do: ['history'], expectsReports: true },
  'history-hover': { ...scenario({ history }), do: ['history', 'over Rename the module'] },
  'history-rename': { ...scenario({ history }), do: ['history', 'key F2'] },
  'history-menu': { ...scenario({ history }), do: ['history', 'key Shift+F10'] },
  'search-results': {
    ...scenario({ history, search: { found, hasMore: true } }),
    do: ['history', 'type form', 'settle'],
  },
  'search-opened': {
    ...session(
      worked().answer('The form is checked when it is submitted.'),
      { state: 'idle', activity: null },
      {
        history: [{ ...history[0], id: 's1' }],
        search: {
          found: [
            { ...hit({ ...history[0], id: 's1' }, null, null), line: { ...markedText("I'll look at the [form]"), seq: 3 } },
          ],
        },
      },
    ),
    do: ['history', 'type form', 'settle', 'open Validate the signup form', 'settle'],
  },
  'search-newest': {
    ...scenario({ history, search: { found } }),
    do: ['history', 'type form -tool:read_file', 'settle', 'click Newest first'],
  },
  'search-no-model': {
    ...scenario({ history, search: { found: found.slice(0, 2), missingModel: { suggestion: 'nomic-embed-text' } } }),
    do: ['history', 'type form', 'settle', 'click By meaning', 'settle'],
  },
  'search-nothing': { ...scenario({ history }), do: ['history', 'type zebra crossings', 'settle'] },
  'search-indexing': {
    ...scenario({ history, search: { found: found.slice(0, 2), isComplete: false, isIndexed: false } }),
    do: ['history', 'type form', 'settle'],
  },
  'search-searching': { ...scenario({ history, search: 'searching' }), do: ['history', 'type form', 'settle'] },
  'history-loading': { ...scenario({ history: 'loading' }), do: ['history'] },
};
