import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { continuedCode } from '../../../src/protocol/continuation';
import type { EntryInput } from '../../../src/protocol/entries';
import type { ExportedHead } from '../../../src/protocol/exportedSession';
import { damagedCode, damagedNotice } from '../../../src/protocol/text/damagedEntry';
import { steeredEntry } from '../../../src/protocol/steering';
import { toHtml } from '../../../src/services/export/htmlExport';
import { toMarkdown } from '../../../src/services/export/markdownExport';
import { leftOut } from '../../../src/services/export/selection';
import { dateAndTime } from '../../../src/types/format';
import { setTexts } from '../../../src/utils/l10n';
import { entries } from '../../support/entries';

const createdAt = Date.UTC(2026, 2, 14, 12);
const head: ExportedHead = {
  id: 's',
  title: 'Postage',
  mode: 'agent',
  model: null,
  projectPath: '/app',
  createdAt,
  updatedAt: createdAt,
};

/** Returns the session in both readable formats. */
function texts(...inputs: EntryInput[]): string[] {
  return [toMarkdown, toHtml].map((convert) => [...convert(head, entries(...inputs))].join(''));
}

/** Returns the headings and the matches of `words`, in the order of the text. */
function outline(text: string, words: RegExp): string[] {
  const found = text.matchAll(new RegExp(`(?:^## |<h2>)([^\\n<]+?)(?= <time|\\n)|(?:${words.source})`, 'gm'));
  return [...found].map(([word, heading]) => heading ?? word);
}

const user = (content: string): EntryInput => ({ type: 'user_input', content, data: { mode: 'agent', attachments: [] } });
const answer = (content: string): EntryInput => ({ type: 'assistant_output', content, data: { end: 'complete' }, model: 'qwen' });
const command = (callId: string, input = 'npm test'): EntryInput => ({
  type: 'tool_call',
  data: { callId, name: 'run_terminal_command', input: { command: input } },
});
const result = (callId: string, data: Partial<Extract<EntryInput, { type: 'tool_result' }>['data']> = {}): EntryInput => ({
  type: 'tool_result',
  content: 'for the model',
  data: { callId, name: 'run_terminal_command', status: 'success', ...data },
});
const decided = (callId: string, decision: 'approved' | 'denied', kind: 'command' | 'tool' = 'command'): EntryInput => ({
  type: 'approval',
  data: { approvalId: callId, callId, phase: 'decided', kind, decision },
});
const run: EntryInput = { type: 'run_end', data: { outcome: 'done' } };

describe('an export for reading', () => {
  it('has one heading for each message and each answer, whatever the answer begins with', () => {
    const beginnings: [EntryInput[], string][] = [
      [[command('c'), result('c')], 'Ran npm test'],
      [[{ type: 'thinking', content: 'Hm', data: {} }], 'Thinking'],
      [[{ type: 'checkpoint', data: { kind: 'message', title: 'Before user message: Go' } }, command('c')], 'Stopped npm test'],
      [[decided('c', 'approved')], 'Approval'],
      [[{ type: 'review', data: { action: 'keep', scope: 'file', paths: ['a.ts'] } }], 'Kept a\\.ts'],
      [[{ type: 'error', content: 'No server', data: { code: 'down', actions: [] } }], 'No server'],
      [
        [
          { type: 'tool_call', data: { callId: 's', name: 'explore', input: { task: 'Look' } } },
          { type: 'subagent_step', data: { callId: 's', name: 'read_file', input: {}, status: 'success' } },
        ],
        'explore',
      ],
    ];
    for (const [beginning, word] of beginnings)
      for (const text of texts(user('Go'), ...beginning, answer('Done.'), answer('More.'), run))
        assert.deepEqual(
          outline(text, new RegExp(`${word}|Done|More`)).filter((part, index, all) => part !== all[index - 1]),
          ['You', 'Assistant · qwen', word.replace('\\', ''), 'Done', 'More'],
          word,
        );
  });

  it('has no heading for an answer without content, and new headings after a message during the run', () => {
    for (const text of texts(user('One'), command('c'), result('c'), steeredEntry, user('Two'), answer('Done.'), user('Three')))
      assert.deepEqual(outline(text, /Ran npm test/), [
        ...['You', 'Assistant', 'Ran npm test', 'You', 'Assistant · qwen', 'You'],
      ]);
  });

  it('shows a call once, with the title of its row, its arguments and its result', () => {
    const [text = ''] = texts(user('Go'), command('c'), result('c', { display: 'passed', summary: 'exit code 1' }));
    assert.ok(text.includes('<summary>Ran npm test · exit code 1</summary>'), text);
    assert.match(text, /"command": "npm test"\n}\n```\n\n```\npassed\n```\n\n<\/details>/);
    assert.doesNotMatch(text, /run_|for the model/);
  });

  it('joins an answer and its continuation', () => {
    const cut: EntryInput = { type: 'assistant_output', content: 'One sen', data: { end: 'length' } };
    const go: EntryInput = { type: 'system_message', data: { level: 'info', code: continuedCode } };
    for (const text of texts(user('Go'), cut, go, { ...cut, content: 'tence.' })) assert.match(text, /One sen ?tence\./);
  });

  it('shows a question and its reply in place of the call', () => {
    const ask = { questionId: 'q', callId: 'q' };
    const asked: EntryInput = { type: 'question', content: 'Which?', data: { ...ask, phase: 'asked' } };
    const settled: EntryInput = { type: 'question', content: 'Both', data: { ...ask, phase: 'settled', outcome: 'answered' } };
    const call: EntryInput = { type: 'tool_call', data: { callId: 'q', name: 'ask_user', input: { question: 'Which?' } } };
    for (const text of texts(user('Go'), call, asked, settled, result('q'))) {
      assert.deepEqual(outline(text, /Which\?|Both/), ['You', 'Assistant', 'Which?', 'Both']);
      assert.doesNotMatch(text, /for the model/);
    }
  });

  describe('in German', () => {
    before(() => setTexts(JSON.parse(readFileSync('l10n/bundle.l10n.de.json', 'utf8')) as Record<string, string>, 'de'));
    after(() => setTexts({}));

    it('names calls, decisions, the open file and what is left out in the language of the user', () => {
      const attachments = [
        { kind: 'editor' as const, path: 'src/open.ts', content: 'typescript, the cursor is in line 13' },
        { kind: 'file' as const, path: 'src/added.ts', content: leftOut },
        { kind: 'image' as const, path: 'a.png' },
      ];
      const foreign = { callId: 'f', name: 'weather__forecast', input: { text: leftOut } };
      const parts = [
        ...['## Sie', '## Assistent', 'Geöffnete Datei: src/open.ts', 'Angehängt: src/added.ts', '[weggelassen]'],
        ...['Nicht ausgeführt: npm test<', 'Genehmigung: npm test, übersprungen', 'Genehmigung: forecast (weather), genehmigt'],
        ...['Verwendet: forecast (weather)', 'Wiederhergestellt: src/back.ts'],
        ...['Ein Eintrag konnte hier nicht gelesen werden', '{"old":1}'],
      ];
      for (const text of texts(
        { type: 'user_input', content: 'Los', data: { mode: 'agent', attachments } },
        ...[command('c'), decided('c', 'denied'), result('c', { status: 'denied', summary: 'übersprungen' })],
        ...[{ type: 'tool_call' as const, data: foreign }, decided('f', 'approved', 'tool'), result('f')],
        { type: 'plan', content: '1. Messen', data: { planId: 'p', items: [{ id: 'i', text: 'Messen' }] } },
        { type: 'restore', data: { targetCheckpointId: 'checkpoint_1', paths: ['src/back.ts'] } },
        { type: 'system_message', content: 'Unreadable', data: { level: 'warning', code: 'unreadable' } },
        { type: 'system_message', content: `${damagedNotice}\n\n{"old":1}`, data: { level: 'warning', code: damagedCode } },
      )) {
        const plain = text.replaceAll('\\', '').replaceAll('<h2>', '## ').replaceAll('&quot;', '"');
        for (const part of parts) assert.ok(plain.includes(part), `${part} in ${plain}`);
        const raw =
          /the cursor|left out|planId|command,|tool,|run_terminal|__|checkpoint_1|Unreadable|changed on disk|T\d\d:\d\d:\d\d(?!\.\d+Z")/;
        assert.doesNotMatch(plain, raw);
        assert.equal(plain.split('übersprungen').length, 2);
      }
    });

    it('has the language of the page, and times in the format of the language', () => {
      const [markdown = '', html = ''] = texts(user('Los'));
      assert.match(html, /<html lang="de">/);
      for (const text of [markdown, html]) assert.ok(text.includes(dateAndTime(createdAt)), text);
      assert.match(html, /<time datetime="2026-03-14T12:00:00\.000Z">14\.03\.2026/);
      assert.doesNotMatch(markdown, /2026-03-14/);
    });
  });
});
