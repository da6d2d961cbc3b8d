import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { AttachmentReader } from '../../../src/agent/prompt/attachmentReader';
import { MentionReader, type TerminalOutput } from '../../../src/agent/prompt/mentionReader';
import { WorkspacePaths } from '../../../src/services/files/workspacePaths';
import { withAttachments } from '../../../src/protocol/history';
import type { AttachmentRef, FoundPlace } from '../../../src/protocol/entries';
import { systemClock } from '../../../src/utils/clock';
import { AgentBench } from './support/agentBench';

describe('mentions in a message', () => {
  let bench: AgentBench;
  let terminal: TerminalOutput | null;
  let places: FoundPlace[] | undefined;
  beforeEach(async () => {
    bench = await AgentBench.start();
    terminal = null;
    mkdirSync(bench.file('src/deep'), { recursive: true });
    mkdirSync(bench.file('.git'));
    writeFileSync(bench.file('.git/HEAD'), 'ref: refs/heads/main\n');
    writeFileSync(bench.file('.gitignore'), 'secret-build/\n');
    writeFileSync(bench.file('src/a.ts'), 'export function parseInvoice() {}\n');
    writeFileSync(bench.file('src/deep/b.ts'), 'export const total = 1;\n');
    writeFileSync(bench.file('src/.env'), 'INVOICE_KEY=parseInvoice\n');
    mkdirSync(bench.file('secret-build'));
    writeFileSync(bench.file('secret-build/out.ts'), 'parseInvoice\n');
  });
  afterEach(() => bench.stop());

  function readerOfFiles(): AttachmentReader {
    const port = { folders: () => [{ name: 'project', path: bench.file('.') }], isTrusted: () => true, commandShell: () => 'sh' };
    return new AttachmentReader(new WorkspacePaths(port), { openText: () => undefined, confirm: async () => false });
  }

  async function read(ref: AttachmentRef, text = ''): Promise<string> {
    const reader = new MentionReader(readerOfFiles(), {
      registry: bench.registry,
      clock: systemClock,
      lastTerminal: () => terminal,
      openFile: () => 'typescript',
    });
    const { content, places: found, ...kept } = await reader.read(ref, { sessionId: null, text });
    places = found;
    assert.deepEqual(kept, ref);
    return content ?? '';
  }

  it('have a length that is known before the message is sent, without a question', async () => {
    writeFileSync(bench.file('src/big.ts'), 'x'.repeat(65_000));
    writeFileSync(bench.file('src/huge.ts'), 'x'.repeat(900_000));
    const reader = new MentionReader(readerOfFiles(), {
      registry: bench.registry,
      clock: systemClock,
      lastTerminal: () => terminal,
      openFile: () => 'typescript',
    });
    const estimateLength = (ref: AttachmentRef) => reader.estimateLength(ref, { sessionId: null, text: '' });
    assert.equal(await estimateLength({ kind: 'file', path: 'src/big.ts' }), 65_000);
    assert.equal(await estimateLength({ kind: 'file', path: 'src/huge.ts' }), 200 * 1024);
    assert.equal(await estimateLength({ kind: 'selection', path: 'src/a.ts', startLine: 1, endLine: 1 }), 33);
    assert.equal(await estimateLength({ kind: 'folder', path: 'src' }), (await read({ kind: 'folder', path: 'src' })).length);
    for (const path of ['src', 'missing.ts']) assert.ok((await estimateLength({ kind: 'file', path })) === 0, path);
    assert.equal(await estimateLength({ kind: 'folder', path: 'missing' }), 0);
    assert.ok((await estimateLength({ kind: 'terminal', path: '#terminal' })) > 0);
  });

  it('give a folder as the list of what is in it', async () => {
    const text = await read({ kind: 'folder', path: 'src' });
    assert.match(text, /a\.ts/);
    assert.match(text, /deep\/b\.ts/);
    await assert.rejects(read({ kind: 'folder', path: '../elsewhere' }), { code: 'cannotAttach' });
  });

  it('give the workspace as what fits the words, without secret and ignored files', async () => {
    const text = await read({ kind: 'workspace', path: '@workspace' }, 'Where is parseInvoice and what does it do?');
    assert.match(text, /src\/a\.ts/);
    assert.equal(places?.[0]?.path, 'src/a.ts');
    assert.doesNotMatch(text, /\.env|secret-build/);
    assert.match(await read({ kind: 'workspace', path: '@workspace' }, 'What is this?'), /src\/a\.ts/);
  });

  it('look for what is asked and not for the mention', async () => {
    writeFileSync(bench.file('workspace.ts'), 'export const workspace = codebase;\n');
    const item = { kind: 'workspace', path: '@workspace' } as const;
    for (const sign of ['@workspace', '#codebase'])
      assert.doesNotMatch(await read(item, `${sign} where is parseInvoice`), /workspace\.ts/);
  });

  it('give the workspace also to a very long message, and where there is no index', async () => {
    const long = `Where is parseInvoice? ${'So many words. '.repeat(400)}`;
    assert.match(await read({ kind: 'workspace', path: '@workspace' }, long), /src\/a\.ts/);
    await bench.stop();
    bench = await AgentBench.start({ settings: { 'search.enabled': false } });
    writeFileSync(bench.file('a.ts'), 'export function parseInvoice() {}\n');
    assert.match(await read({ kind: 'workspace', path: '@workspace' }, 'Where is parseInvoice?'), /a\.ts:1/);
  });

  it('give the last command of a terminal with its output, free of control sequences', async () => {
    assert.match((await read({ kind: 'terminal', path: '#terminal' })) ?? '', /^No commands have been run/);
    terminal = { command: 'npm test', output: '\u001b[31mFAIL\u001b[0m a.test.ts\r\n1 failed\r\n' };
    assert.equal(await read({ kind: 'terminal', path: '#terminal' }), '$ npm test\nFAIL a.test.ts\n1 failed');
  });

  it('tell which file is open, and its text only where somebody attached it', async () => {
    assert.equal(await read({ kind: 'editor', path: 'src/a.ts' }), 'typescript');
    const text = withAttachments('Go', [{ kind: 'editor', path: 'src/a.ts', content: 'typescript' }]);
    assert.equal(text, 'Open in the editor: src/a.ts (typescript)\n\nGo');
  });

  it('send of themselves only what is ordinary', async () => {
    writeFileSync(bench.file('src/keys.ts'), `const key = 'AKIA${'Q3EGRZ7XWTPLMN2V'}';\n`);
    const heldBack = (path: string, kind: 'editor' | 'selection' = 'editor') =>
      readerOfFiles().exclusionReason(kind === 'editor' ? { kind, path } : { kind, path, startLine: 1, endLine: 1 });
    assert.equal(await heldBack('src/a.ts', 'selection'), null);
    assert.equal(await heldBack('src/.env'), 'secret');
    assert.equal(await heldBack('secret-build/out.ts'), 'secret');
    assert.deepEqual([await heldBack('src/keys.ts'), await heldBack('src/keys.ts', 'selection')], [null, 'secret']);
    assert.equal(await heldBack('../elsewhere.ts'), 'unknown');
  });

  it('give problems and changed files as the tools that only read do', async () => {
    assert.match(await read({ kind: 'problems', path: '#problems' }), /./);
    assert.match(await read({ kind: 'changes', path: '#changes' }), /./);
  });

  it('reach the model with the words', async () => {
    bench.double.script.push('Good.');
    const content = await read({ kind: 'folder', path: 'src' });
    const message = { sessionId: null, text: 'What is in it?', mode: 'ask' as const, model: 'worker' };
    const { sessionId } = await bench.controller.send({ ...message, attachments: [{ kind: 'folder', path: 'src', content }] });
    await bench.over(sessionId);
    const body = bench.double.requestsTo('/api/chat').at(-1)?.body as { messages: { content: string }[] };
    assert.match(body.messages.at(-1)?.content ?? '', /^Attached folder: src\n```\n[\s\S]*a\.ts[\s\S]*```\n\nWhat is in it\?$/);
  });
});
