import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { until } from '../../support/until';
import { McpBench, scripted } from './support/mcpBench';

describe('MCP servers of a workspace', () => {
  let folder: string;
  let bench: McpBench;

  beforeEach(() => {
    folder = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-mcp-'));
    mkdirSync(path.join(folder, '.vscode'));
    bench = new McpBench({});
    bench.folders = [folder];
  });

  afterEach(async () => {
    await bench.servers.dispose();
    rmSync(folder, { recursive: true, force: true });
  });

  const write = (text: string): void => writeFileSync(path.join(folder, '.vscode', 'mcp.json'), text);
  const file = (tool: string): string =>
    `{\n  // servers of the project\n  "servers": { "project": ${JSON.stringify(scripted({ tools: [{ name: tool }] }))}, },\n}`;

  it('start once a person has agreed to the content of the file, and not before', async () => {
    write(file('a'));
    await bench.ready();
    assert.deepEqual(bench.asked, [['project']]);
    assert.deepEqual(bench.servers.servers, []);
    const [waiting] = bench.servers.waiting;
    assert.ok(waiting);
    await bench.servers.allow(waiting, true);
    await bench.ready();
    assert.deepEqual(
      bench.servers.tools().map(({ name }) => name),
      ['project__a'],
    );
    assert.deepEqual(bench.servers.waiting, []);
    await bench.ready();
    assert.equal(bench.asked.length, 1);
  });

  it('wait again, and end, when the content is another one', async () => {
    bench.mayStart = true;
    write(file('a'));
    await bench.ready();
    await until(() => bench.servers.get('project')?.state === 'running');
    bench.mayStart = undefined;
    write(file('b'));
    await bench.ready();
    assert.deepEqual(bench.servers.servers, []);
    assert.equal(bench.asked.length, 2);
  });

  it('that a person does not want are not asked about again', async () => {
    bench.mayStart = false;
    write(file('a'));
    await bench.ready();
    await bench.ready();
    assert.equal(bench.asked.length, 1);
    assert.deepEqual(
      bench.servers.waiting.map(({ isDeclined }) => isDeclined),
      [true],
    );
  });

  it('do not take the place of one of the settings', async () => {
    bench.mayStart = true;
    bench.configured = { project: scripted({ tools: [{ name: 'mine' }] }) };
    write(file('theirs'));
    await bench.ready();
    await until(() => bench.servers.waiting.length === 0);
    assert.deepEqual(
      bench.servers.tools().map(({ name }) => name),
      ['project__mine'],
    );
    assert.match(bench.servers.problems.join(), /project: another server already has this name/);
  });

  it('in a file that cannot be read are a problem in words', async () => {
    write('{ "servers": ');
    await bench.ready();
    assert.match(bench.servers.problems.join(), /mcp\.json: /);
  });
});
