import assert from 'node:assert/strict';
import { isTitleOf, titleAmong, titleBeginning, shortenTitle, type FirstMessage } from '../../../src/agent/prompt/sessionTitle';
import { AgentBench } from './support/agentBench';

const long = 'Explain how the parser deals with nested quotes and escapes in strings';

describe('The title of a chat', () => {
  const cases: [string, string][] = [
    ['Fix the bug', 'Fix the bug'],
    ['  Fix\n\tthe   bug  ', 'Fix the bug'],
    ['', 'New chat'],
    [long, 'Explain how the parser deals with nested quotes and escapes…'],
    ['x'.repeat(100), `${'x'.repeat(59)}…`],
    ['🥛'.repeat(61), `${'🥛'.repeat(59)}…`],
  ];
  for (const [text, title] of cases) {
    it(`of ${JSON.stringify(text.slice(0, 20))} is ${JSON.stringify(title.slice(0, 20))}`, () =>
      assert.equal(shortenTitle(text), title));
  }

  const now = new Date(2026, 0, 31, 14, 5).getTime();
  const file = { kind: 'editor', path: 'src/deep/money.ts' } as const;
  const again: [what: string, message: FirstMessage, others: string[], title: string][] = [
    ['a message of its own', { text: 'Fix it', attachments: [file] }, ['Fix them'], 'Fix it'],
    [
      'a message that differs later',
      { text: `${long} and comments`, attachments: [file] },
      [`${long} and templates`, 'Explain how'],
      'Explain how the parser … comments',
    ],
    ['the same message about a file', { text: 'Fix it', attachments: [file] }, ['Fix it'], 'Fix it · money.ts'],
    ['the same long message about a file', { text: long, attachments: [file] }, [long], `${long.slice(0, 47)}… · money.ts`],
    ['the same message', { text: 'Fix it', attachments: [] }, ['Fix it'], 'Fix it · Jan 31, 2026, 2:05 PM'],
  ];
  for (const [what, message, others, title] of again) {
    it(`of ${what} is ${title}`, () => {
      const chats = others.map((words) => ({ title: shortenTitle(words), words }));
      const made = titleAmong(message, chats, now);
      assert.equal(made, title);
      assert.ok([...made].length <= 60 && made.startsWith(titleBeginning(message.text)));
      assert.deepEqual([isTitleOf(made, message), isTitleOf(`My ${made}`, message)], [true, false]);
    });
  }

  it('is known as generated with the time of any version and language', () => {
    const message = { text: 'Fix it', attachments: [] };
    const ends = ['2026-01-31 14:05', '31.01.2026, 14:05 (2)', '31.01.2026, 14.05', 'part 2'];
    assert.deepEqual(
      ends.map((end) => isTitleOf(`Fix it · ${end}`, message)),
      [true, true, true, false],
    );
  });

  it('is never that of another chat, however often the same is said', async () => {
    const bench = await AgentBench.start();
    try {
      for (let round = 0; round < 4; round += 1) {
        bench.double.script.push('Done.');
        await bench.ask('Fix the tests', { mode: 'ask' });
      }
      const { sessions } = await bench.database.sessions.list({ offset: 0, limit: 10 });
      const titles = sessions.map(({ title }) => title);
      assert.equal(new Set(titles).size, 4);
      assert.ok(titles.includes('Fix the tests') && titles.every((title) => title.startsWith('Fix the tests')));
    } finally {
      await bench.stop();
    }
  });
});
