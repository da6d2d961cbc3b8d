import { editor, editorCalls } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { WaitingFile } from '../../../src/mcp/config/serverConfig';
import { readWorkspaceServers } from '../../../src/mcp/config/workspaceFiles';
import { askForServers, workspaceApprovals } from '../../../src/vscode/mcp/workspaceApprovals';

describe('The question about the MCP servers of a workspace', () => {
  let folder: string;
  let stored: Map<string, unknown>;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-question-'));
    mkdirSync(path.join(folder, '.vscode'));
    stored = new Map();
    editorCalls.length = 0;
  });
  afterEach(() => {
    editor.answers = [];
    rmSync(folder, { recursive: true, force: true });
  });

  const approvals = () =>
    workspaceApprovals({
      get: <T>(key: string) => stored.get(key) as T,
      update: async (key: string, value: unknown) => void stored.set(key, value),
      keys: () => [],
    });
  const read = async (servers: unknown): Promise<WaitingFile> => {
    writeFileSync(path.join(folder, '.vscode', 'mcp.json'), JSON.stringify({ servers }));
    const [file] = (await readWorkspaceServers([folder], approvals())).waiting;
    assert.ok(file);
    return file;
  };
  /** Returns everything that the user has seen before pressing the last button. */
  const shown = (): string =>
    editorCalls
      .map(({ name, args }) => (name === 'showTextDocument' ? (args[0] as { content: string }).content : String(args[0])))
      .join('\n');

  const long = 'a'.repeat(300);
  const servers = {
    db: {
      command: 'node',
      args: ['--title', `${long}END`, '-r', './evil.js', 'a\u202eb', 'x\ny'],
      env: { NODE_OPTIONS: '--require=/tmp/x', TOKEN: '${env:AWS_SECRET}' },
      cwd: '${workspaceFolder}/sub',
    },
    web: {
      url: `https://example.com/${long}?to=https://evil.example`,
      headers: { Authorization: 'Bearer ${env:GITHUB_TOKEN}', 'X-Secret': '${input:key}' },
      oauth: { clientId: 'me' },
    },
  };

  it('shows everything of each server, in full, before it can be allowed', async () => {
    editor.answers = ['Review…', 'Allow'];
    assert.equal(await askForServers(await read(servers)), true);
    const text = shown();
    const db = servers.db;
    const web = servers.web;
    for (const part of [
      ...db.args.slice(0, 4),
      ...Object.entries(db.env).flat(),
      db.cwd,
      web.url,
      ...Object.entries(web.headers).flat(),
      'me',
    ])
      assert.ok(text.includes(part), part);
    assert.ok(text.includes('a⟨U+202E⟩b') && !text.includes('\u202e'));
    assert.ok(text.includes('x\n    ⏎ y'));
    assert.match(text, /Environment variables for these servers:\n {2}AWS_SECRET\n {2}GITHUB_TOKEN\n/);
    const [first, second] = editorCalls.filter(({ name }) => name === 'showWarningMessage');
    assert.deepEqual(first?.args.slice(1), ['Review…', 'Do Not Start']);
    assert.deepEqual(second?.args.slice(1), ['Allow', 'Do Not Start']);
  });

  it('is answered by no, and by nothing where the person closes it', async () => {
    const file = await read(servers);
    for (const [answers, outcome] of [
      [['Do Not Start'], false],
      [['Review…', 'Do Not Start'], false],
      [[undefined], undefined],
      [['Review…', undefined], undefined],
    ] as const) {
      editor.answers = [...answers];
      assert.equal(await askForServers(file), outcome);
    }
  });

  it('lists the variables that a yes is for: an older yes that listed none is asked about again', async () => {
    const file = await read(servers);
    assert.deepEqual(file.environment, ['AWS_SECRET', 'GITHUB_TOKEN']);
    await approvals().set(file.path, file.hash, true, file.environment);
    assert.deepEqual(
      (await readWorkspaceServers([folder], approvals())).servers.map(({ environment }) => environment),
      [file.environment, file.environment],
    );
    stored.set('mcp.workspaceFiles', { [file.path]: { hash: file.hash, isAllowed: true } });
    const again = await readWorkspaceServers([folder], approvals());
    assert.deepEqual([again.servers.length, again.waiting.map(({ isDeclined }) => isDeclined)], [0, [false]]);
    stored.set('mcp.workspaceFiles', {});
    const plain = await read({ db: { command: 'node' } });
    stored.set('mcp.workspaceFiles', { [plain.path]: { hash: plain.hash, isAllowed: true } });
    assert.equal((await readWorkspaceServers([folder], approvals())).servers.length, 1);
  });
});
