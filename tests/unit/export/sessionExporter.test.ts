import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import fc from 'fast-check';
import type { EntryInput } from '../../../src/protocol/entries';
import { exportedSessionSchema } from '../../../src/protocol/exportedSession';
import { reduceTimeline } from '../../../src/protocol/reducer/timelineReducer';
import type { ExportFormat } from '../../../src/services/export/exportNames';
import { SessionExporter } from '../../../src/services/export/sessionExporter';
import { FileSensitivity } from '../../../src/utils/sensitivity/fileSensitivity';
import { setTexts } from '../../../src/utils/l10n';
import { png } from '../../support/images';
import { ImportBench } from '../import/support/importBench';
import { runSeed } from '../../support/rounds';

const everything = { toolOutput: true, thinking: true, fileContents: true, secrets: true };
const key = `ghp_${'a1B2'.repeat(9)}`;
const never = new AbortController().signal;

/** Builds a tool call and its result. */
function call(callId: string, name: string, input: Record<string, unknown>, content: string): EntryInput[] {
  const family = name === 'read_file' ? 'read' : 'command';
  return [
    { type: 'tool_call', data: { callId, name, input, facts: { family, effect: 'none' } } },
    { type: 'tool_result', content, data: { callId, name, status: 'success', durationMs: 5 } },
  ];
}

describe('an exported session', () => {
  let bench: ImportBench;
  beforeEach(async () => {
    bench = await ImportBench.create();
  });
  afterEach(() => bench.clean());

  async function store(title: string, inputs: readonly EntryInput[]): Promise<string> {
    const database = await bench.database();
    const { id } = await database.sessions.create({
      title,
      mode: 'ask',
      model: 'qwen',
      projectPath: '/projects/app',
      is_inline: 1,
    });
    await database.log.appendAll(id, inputs);
    return id;
  }
  async function exporter(): Promise<SessionExporter> {
    const sensitivity = new FileSensitivity({});
    return new SessionExporter(
      await bench.database(),
      () => (file) => sensitivity.isSecret(file),
      () => 0,
    );
  }
  async function textOf(id: string, format: ExportFormat, options = everything): Promise<string> {
    let text = '';
    for await (const piece of await (await exporter()).pieces(id, { format, options })) text += piece;
    return text;
  }

  it('draws the same timeline where it is imported, from JSON and from JSONL, whatever is in it', async () => {
    const text = fc.string({ unit: 'grapheme', maxLength: 40 });
    const input: fc.Arbitrary<EntryInput[]> = fc.oneof(
      text.map((content): EntryInput[] => [
        { type: 'user_input', content, data: { mode: 'agent', attachments: [{ kind: 'file', path: 'a.ts', content }] } },
      ]),
      text.map((content): EntryInput[] => [{ type: 'thinking', content, data: {} }]),
      text.map((content): EntryInput[] => [{ type: 'assistant_output', content, data: { end: 'complete' }, model: 'qwen' }]),
      fc.tuple(fc.uuid(), text).map(([id, content]) => call(id, 'read_file', { path: 'a.ts', content }, content)),
      text.map((diff): EntryInput[] => [
        {
          type: 'file_edit',
          data: { path: 'a.ts', operation: 'modify', diff, beforeHash: null, afterHash: null, additions: 1, deletions: 0 },
        },
      ]),
      fc.integer({ min: 1, max: 6 }).map((fromSeq): EntryInput[] => [{ type: 'rewind', data: { fromSeq } }]),
      fc.constant<EntryInput[]>([{ type: 'run_end', data: { outcome: 'done' } }]),
      text.map((summary): EntryInput[] => [
        { type: 'compact_marker', content: summary, data: { compactedCount: 1, throughSeq: 1, summary } },
      ]),
    );
    const begin: EntryInput[] = [{ type: 'user_input', content: 'Begin', data: { mode: 'agent', attachments: [] } }];
    await fc.assert(
      fc.asyncProperty(
        fc.array(input, { maxLength: 12 }),
        fc.constantFrom<ExportFormat>('json', 'jsonl'),
        async (parts, format) => {
          const id = await store('Round', [...begin, ...parts.flat()]);
          const before = await bench.entries(id);
          const other = await ImportBench.create();
          try {
            const target = path.join(other.source, format === 'json' ? 'one.json' : 'one');
            await (await exporter()).export(id, target, { format, options: everything }, never);
            const report = await other.import();
            assert.deepEqual([report.issues, report.sessions.map(({ outcome }) => outcome)], [[], ['imported']]);
            const after = await other.entries(id);
            assert.deepEqual(reduceTimeline(after, { isLive: false }), reduceTimeline(before, { isLive: false }));
            const record = await (await other.database()).sessions.get(id);
            assert.deepEqual([record?.title, record?.mode, record?.model, record?.is_inline], ['Round', 'ask', 'qwen', 1]);
          } finally {
            await other.clean();
          }
        },
      ),
      { numRuns: 15, seed: runSeed() },
    );
  });

  it('leaves out which Git histories were kept: those of a number are others in another database', async () => {
    const command = { callId: 'c1', before: 'b', after: 'a', files: [], count: 0, kept: [{ id: 1, folder: 'lib' }] };
    const id = await store('Kept', [
      { type: 'user_input', content: 'Go', data: { mode: 'agent', attachments: [] } },
      { type: 'checkpoint', data: { kind: 'command_after', title: 'After command', command } },
    ]);
    const exported = JSON.parse(await textOf(id, 'json')) as { entries: { data: { command?: object } }[] };
    assert.deepEqual(exported.entries[1]?.data.command, { callId: 'c1', before: 'b', after: 'a', files: [], count: 0 });
    const other = await ImportBench.create();
    try {
      (exported.entries[1] ?? assert.fail()).data.command = command;
      writeFileSync(path.join(other.source, 'one.json'), JSON.stringify(exported));
      await other.import();
      const [, entry] = await other.entries(id);
      assert.ok(entry?.type === 'checkpoint');
      assert.equal(entry.data.command?.callId, 'c1');
      assert.equal(entry.data.command?.kept, undefined);
    } finally {
      await other.clean();
    }
  });

  it('takes its images along as JSON, if contents of files were chosen, and back', async () => {
    const { images } = await bench.database();
    const image = await images.keep(png(3, 2));
    const id = await store('Images', [
      { type: 'user_input', content: 'Look', data: { mode: 'ask', attachments: [{ kind: 'image', path: 'a.png', image }] } },
    ]);
    assert.doesNotMatch(await textOf(id, 'json', { ...everything, fileContents: false }), /"images"/);
    const other = await ImportBench.create();
    try {
      const target = path.join(other.source, 'one.json');
      await (await exporter()).export(id, target, { format: 'json', options: everything }, never);
      assert.ok(exportedSessionSchema.safeParse(JSON.parse(readFileSync(target, 'utf8'))).success);
      await other.import();
      const there = await other.database();
      assert.deepEqual(Buffer.from((await there.images.read(image.hash)) ?? []), png(3, 2));
      await there.sessions.delete(id);
      assert.equal(await there.images.read(image.hash), null);
    } finally {
      await other.clean();
    }
  });

  it('leaves out what looks like a key, and files that hold secrets, unless they are chosen', async () => {
    const id = await store(`About ${key}`, [
      {
        type: 'user_input',
        content: `Use ${key}`,
        data: { mode: 'agent', attachments: [{ kind: 'file', path: '.env', content: 'PASSWORD=hunter2' }] },
      },
      ...call('c1', 'read_file', { path: 'config/.env' }, 'PASSWORD=hunter3'),
      ...call('c2', 'run_terminal_command', { command: 'cat .env | head' }, 'PASSWORD=hunter4'),
      {
        type: 'file_edit',
        data: {
          path: '.env',
          operation: 'modify',
          diff: '-hunter5',
          beforeHash: null,
          afterHash: null,
          additions: 0,
          deletions: 1,
        },
      },
      {
        type: 'assistant_output',
        content: '-----BEGIN RSA PRIVATE KEY-----\nhunter6\n-----END RSA PRIVATE KEY-----\nDone',
        data: { end: 'complete' },
      },
    ]);
    for (const format of ['markdown', 'json', 'jsonl', 'html'] as const) {
      const careful = await textOf(id, format, { ...everything, secrets: false });
      assert.doesNotMatch(careful, /ghp_|hunter/, format);
      assert.match(careful, /Done/);
      const whole = await textOf(id, format);
      assert.deepEqual(
        [...new Set(whole.match(/hunter\d/g))].sort(),
        ['hunter2', 'hunter3', 'hunter4', 'hunter5', 'hunter6'],
        format,
      );
    }
  });

  it('has no key in its name either, unless it is chosen', async () => {
    await store(`About ${key}`, [{ type: 'user_input', content: 'Hi', data: { mode: 'ask', attachments: [] } }]);
    const folder = path.join(bench.directory, 'names');
    for (const secrets of [false, true]) {
      const request = { format: 'markdown', options: { ...everything, secrets } } as const;
      await (await exporter()).exportAll(folder, request, () => undefined, never);
    }
    assert.deepEqual(readdirSync(folder).sort(), ['About [key left out].md', `About ${key}.md`]);
  });

  it('has no thinking, no output of tools and no contents of files where they were not chosen', async () => {
    const id = await store('Parts', [
      {
        type: 'user_input',
        content: 'Words',
        data: { mode: 'agent', attachments: [{ kind: 'file', path: 'a.ts', content: 'attached' }] },
      },
      { type: 'thinking', content: 'thought', data: {} },
      ...call('c1', 'run_terminal_command', { command: 'ls' }, 'printed'),
      {
        type: 'file_edit',
        data: {
          path: 'a.ts',
          operation: 'modify',
          diff: '+edited',
          beforeHash: null,
          afterHash: null,
          additions: 1,
          deletions: 0,
        },
      },
    ]);
    const has = (text: string) => ['Words', 'attached', 'thought', 'printed', 'edited'].filter((word) => text.includes(word));
    for (const format of ['markdown', 'json', 'jsonl', 'html'] as const) {
      const without = (part: keyof typeof everything) => textOf(id, format, { ...everything, [part]: false });
      assert.deepEqual(has(await textOf(id, format)), ['Words', 'attached', 'thought', 'printed', 'edited'], format);
      assert.deepEqual(has(await without('thinking')), ['Words', 'attached', 'printed', 'edited'], format);
      assert.deepEqual(has(await without('toolOutput')), ['Words', 'attached', 'thought', 'edited'], format);
      assert.deepEqual(has(await without('fileContents')), ['Words', 'thought', 'printed'], format);
    }
  });

  it('is JSON that fits the published schema', async () => {
    const id = await store('Schema', [{ type: 'user_input', content: 'Hi', data: { mode: 'ask', attachments: [] } }]);
    const exported = exportedSessionSchema.parse(JSON.parse(await textOf(id, 'json')));
    assert.deepEqual([exported.session.title, exported.entries.length], ['Schema', 1]);
  });

  it('is a page that runs and loads nothing, whatever was said', async () => {
    const hostile =
      '<script>alert(1)</script> ![x](http://evil.example/x.png) [go](javascript:alert(1)) <img src=x onerror=alert(1)>';
    const id = await store('<b>bold</b>', [
      { type: 'user_input', content: hostile, data: { mode: 'ask', attachments: [] } },
      ...call('c1', 'ls', { path: '</pre><script>alert(2)</script>' }, '</pre><script>'),
    ]);
    const page = await textOf(id, 'html');
    assert.match(page, /Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'/);
    assert.doesNotMatch(page, /<(script|img|link|iframe|b)\b|href="javascript|<[^>]*\ssrc=/i);
  });

  it('links only to the web, to mail and within its page', async () => {
    const kept = ['http://a.example', 'https://b.example/x?y=1', 'HTTPS://C.EXAMPLE', 'mailto:me@example.org', '#you'];
    const dropped = [
      ...['vscode://file/etc/passwd', 'vscode-insiders://x.y/z', 'command:workbench.action.terminal.new', 'CoMmAnD:x'],
      ...['file:///etc/passwd', 'javascript:alert(1)', 'data:text/html,x', 'ms-word:ofe|u|x', 'search-ms:query=x', 'ssh://host'],
      ...['//evil.example', '/etc/passwd', 'docs/a.md', '../a', '&#118;scode://x', 'vs%63ode://x', 'http:evil', 'tel:1', '?a'],
    ];
    const links = [...kept, ...dropped].flatMap((to) => [`[link](<${to}>)`, `<${to}>`, `[ref ${to}]\n\n[ref ${to}]: <${to}>`]);
    const content = links.join('\n\n');
    const id = await store('Links', [{ type: 'user_input', content, data: { mode: 'ask', attachments: [] } }]);
    const found = [...(await textOf(id, 'html')).matchAll(/<a[^>]* href="([^"]*)"/gi)].map(([, to = '']) => to.toLowerCase());
    assert.deepEqual([...new Set(found)].sort(), kept.map((to) => to.toLowerCase()).sort());
  });

  it('folds what tools said behind a fence that nothing in it can end', async () => {
    const id = await store('Fences', call('c1', 'ls', {}, 'a\n````\nb'));
    assert.match(await textOf(id, 'markdown'), /\n`````\na\n````\nb\n`````\n\n<\/details>/);
  });

  it('is in the language of the user, except what others wrote', async () => {
    const review = { scope: 'file' as const, paths: ['a.ts'] };
    const approval = {
      approvalId: 'a',
      callId: 'c1',
      kind: 'command',
      phase: 'decided',
      command: 'ls',
      decision: 'denied',
    } as const;
    const id = await store('German', [
      ...call('c1', 'read_file', {}, 'x'),
      { type: 'approval', data: approval },
      { type: 'review', data: { ...review, action: 'keep' } },
      { type: 'review', data: { ...review, action: 'undo' } },
    ]);
    setTexts(JSON.parse(readFileSync('l10n/bundle.l10n.de.json', 'utf8')) as Record<string, string>, 'de');
    try {
      const text = await textOf(id, 'markdown');
      for (const part of [
        'Verwendet: read\\_file',
        'ls, übersprungen',
        '> a.ts beibehalten',
        '> Änderungen an a.ts rückgängig gemacht',
      ])
        assert.ok(text.includes(part), `${part} in ${text}`);
      assert.doesNotMatch(text, /success|denied|keep|undo/);
    } finally {
      setTexts({});
    }
  });

  it('says of turns that a restore has undone that they are, to whoever reads it', async () => {
    const said = (content: string): EntryInput[] => [
      { type: 'user_input', content, data: { mode: 'agent', attachments: [] } },
      { type: 'assistant_output', content: `About ${content}.`, data: { end: 'complete' } },
    ];
    const restore: EntryInput = { type: 'restore', data: { targetCheckpointId: 'c', paths: [], operationId: 'r', fromSeq: 3 } };
    const id = await store('Undone', [...said('One'), ...said('Two'), restore, ...said('Three')]);
    const note = 'Undone by a restore. Not part of the chat.';
    for (const format of ['markdown', 'html'] as const) {
      const text = await textOf(id, format);
      const told = text.match(/(One|Two|Three)(?=<|\n)|Undone by a restore\. Not part of the chat\./g);
      assert.deepEqual(told, ['One', note, 'Two', 'Three'], format);
    }
  });

  it('is written whole or not at all, and all of them as far as it was not cancelled', async () => {
    for (const title of ['One/two', 'One two', ''])
      await store(title, [{ type: 'user_input', content: 'Hi', data: { mode: 'ask', attachments: [] } }]);
    const request = { format: 'markdown', options: everything } as const;
    const folder = path.join(bench.directory, 'all');
    assert.equal(await (await exporter()).exportAll(folder, request, () => undefined, never), 3);
    assert.deepEqual(readdirSync(folder).sort(), ['One two (2).md', 'One two.md', 'session.md']);
    assert.match(readFileSync(path.join(folder, 'session.md'), 'utf8'), /Hi/);

    const stop = new AbortController();
    const part = path.join(bench.directory, 'part');
    const cancelled = (await exporter()).exportAll(part, request, () => stop.abort(), stop.signal);
    await assert.rejects(cancelled, { code: 'cancelled' });
    assert.equal(readdirSync(part).length, 1);
    await assert.rejects((await exporter()).export('nobody', path.join(part, 'x.md'), request, never), {
      code: 'sessionMissing',
    });
    assert.equal(existsSync(path.join(part, 'x.md')), false);
  });
});
