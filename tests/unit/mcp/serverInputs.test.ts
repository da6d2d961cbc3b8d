import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { hashOfDefinition } from '../../../src/mcp/config/definition';
import { readServers, type ServerConfig } from '../../../src/mcp/config/serverConfig';
import { ServerInputs, type InputQuestion } from '../../../src/mcp/config/serverInputs';
import { until } from '../../support/until';
import { McpBench, scripted } from './support/mcpBench';

describe('A value that a person gave an MCP server', () => {
  let secrets: Map<string, string>;
  let questions: InputQuestion[];
  let folder: string | null;
  let answer: string | undefined;

  beforeEach(() => {
    secrets = new Map();
    questions = [];
    folder = '/work/one';
    answer = 'hunter2';
  });

  /** Creates the inputs of a window that uses the machine's stored secrets. */
  const inputs = (): ServerInputs =>
    new ServerInputs(
      {
        get: async (key) => Promise.resolve(secrets.get(key)),
        store: async (key, value) => void secrets.set(key, value),
        delete: async (key) => void secrets.delete(key),
      },
      () => folder,
      async (question) => {
        questions.push(question);
        return Promise.resolve(answer);
      },
    );
  const server = (value: unknown, origin: ServerConfig['origin'] = 'settings', name = 'github'): ServerConfig => {
    const [one] = readServers({ [name]: value }, origin).servers;
    assert.ok(one);
    return one;
  };
  const changes = () => questions.at(-1)?.changes ?? null;
  const asked = async (config: ServerConfig): Promise<boolean> => {
    const before = questions.length;
    assert.equal(await inputs().value('token', config), 'hunter2');
    return questions.length > before;
  };

  const http = { url: 'https://a.example/mcp', headers: { Authorization: 'Bearer ${input:token}', X: '1' } };
  const stdio = { command: 'npx', args: ['-y', 'server'], env: { TOKEN: '${input:token}' } };

  it('is kept for the definition that it was given for', async () => {
    for (const one of [http, stdio]) {
      assert.equal(await asked(server(one)), true);
      assert.equal(changes(), null);
      assert.equal(await asked(server(one)), false);
      secrets.clear();
    }
  });

  const others: [string, unknown, unknown, string[]][] = [
    ['address', http, { ...http, url: 'https://evil.example/mcp' }, ['Address']],
    ['header', http, { ...http, headers: { ...http.headers, X: '2' } }, ['Header X']],
    ['new header', http, { ...http, headers: { ...http.headers, Y: '2' } }, ['Header Y']],
    ['client', http, { ...http, oauth: { clientId: 'c' } }, ['Sign-in clientId']],
    ['program', stdio, { ...stdio, command: './npx' }, ['Program']],
    ['argument', stdio, { ...stdio, args: ['-y', 'other'] }, ['Argument 2']],
    ['more arguments', stdio, { ...stdio, args: ['-y', 'server', '--log=/tmp/x'] }, ['Argument 3']],
    ['joined arguments', stdio, { ...stdio, args: ['-y server'] }, ['Argument 1', 'Argument 2']],
    ['variable', stdio, { ...stdio, env: { ...stdio.env, NODE_OPTIONS: '-r ./x.js' } }, ['Variable NODE_OPTIONS']],
    ['folder', stdio, { ...stdio, cwd: '/elsewhere' }, ['Folder']],
    [
      'kind',
      http,
      stdio,
      ['Address', 'Header Authorization', 'Header X', 'Program', 'Argument 1', 'Argument 2', 'Variable TOKEN'],
    ],
  ];
  for (const [what, before, after, labels] of others) {
    it(`is asked for again, with what has changed, where another server of that name has another ${what}`, async () => {
      await asked(server(before));
      assert.equal(await asked(server(after)), true);
      assert.deepEqual(
        changes()?.map(({ label }) => label),
        labels,
      );
      // The original server still has its value.
      assert.equal(await asked(server(before)), false);
    });
  }

  it('does not depend on the order in which headers are written', () => {
    const turned = { headers: { X: '1', Authorization: 'Bearer ${input:token}' }, url: http.url };
    const [one, other] = [http, turned].map((value) => hashOfDefinition({ reach: server(value).reach, folder: null }));
    assert.equal(one, other);
  });

  it('stays in the workspace where the workspace decides what runs', async () => {
    const local = { command: 'node', args: ['${workspaceFolder}/mcp.js'], env: { TOKEN: '${input:token}' } };
    for (const config of [server(stdio, 'workspace'), server(http, 'workspace'), server(local)]) {
      folder = '/work/one';
      assert.equal(await asked(config), true);
      folder = '/work/two';
      assert.equal(await asked(config), true);
      assert.deepEqual(changes(), [{ label: 'Workspace', before: '/work/one', after: '/work/two' }]);
      secrets.clear();
    }
    folder = '/work/one';
    await asked(server(stdio));
    folder = '/work/two';
    assert.equal(await asked(server(stdio)), false);
  });

  it('by the name alone, from an older version, goes to no server, and is gone with the next one', async () => {
    secrets.set('mcp.input:["github","token"]', 'old');
    answer = undefined;
    assert.equal(await inputs().value('token', server(http)), null);
    assert.equal(secrets.get('mcp.input:["github","token"]'), 'old');
    answer = 'hunter2';
    assert.equal(await asked(server(http)), true);
    assert.equal(secrets.get('mcp.input:["github","token"]'), undefined);
  });

  it('is not kept where the person gives none, and can be forgotten', async () => {
    answer = undefined;
    assert.equal(await inputs().value('token', server(http)), null);
    assert.equal(secrets.size, 0);
    answer = 'hunter2';
    await asked(server(http));
    await inputs().forget(['token'], server(http));
    assert.equal(await asked(server(http)), true);
    assert.deepEqual(changes(), []);
  });

  it('does not reach the server of another workspace that has its name', async () => {
    const root = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-inputs-'));
    const shared = new Map<string, string>();
    const windows: McpBench[] = [];
    try {
      for (const name of ['mine', 'theirs']) {
        mkdirSync(path.join(root, name, '.vscode'), { recursive: true });
        const own = scripted({ tools: [{ name: 'echo' }] });
        const env = { ...(own['env'] as Record<string, string>), TOKEN: '${input:token}' };
        writeFileSync(path.join(root, name, '.vscode', 'mcp.json'), JSON.stringify({ servers: { github: { ...own, env } } }));
        const bench = new McpBench({}, shared);
        windows.push(bench);
        bench.folders = [path.join(root, name)];
        bench.mayStart = true;
        if (name === 'mine') bench.inputs.set('token', 'hunter2');
        await bench.ready();
        await until(() => ['running', 'failed'].includes(bench.servers.get('github')?.state ?? ''));
      }
      assert.deepEqual(
        windows.map(({ servers, askedFor }) => [servers.get('github')?.state, askedFor.length]),
        [
          ['running', 1],
          ['failed', 1],
        ],
      );
    } finally {
      for (const { servers } of windows) await servers.dispose();
      rmSync(root, { recursive: true, force: true });
    }
  });
});
