import assert from 'node:assert/strict';
import path from 'node:path';
import { connect } from '../../../src/mcp/server/connect';
import type { CallResult, ConfineProgram } from '../../../src/mcp/server/serverConnection';
import { SandboxError } from '../../../src/services/terminal/sandbox/sandboxPorts';
import { McpError } from '../../../src/mcp/mcpError';
import type { McpServer } from '../../../src/mcp/server/mcpServer';
import { until } from '../../support/until';
import { gone, McpBench, program, scripted } from './support/mcpBench';

const nobody = { signal: new AbortController().signal, answer: async () => null };

function textOf({ parts }: CallResult): string {
  return parts.map((part) => ('text' in part ? part.text : part.kind)).join('');
}

describe('MCP servers', () => {
  let bench: McpBench | undefined;

  async function started(configured: Record<string, unknown>): Promise<McpServer> {
    bench = new McpBench(configured);
    await bench.ready();
    const [server] = bench.servers.servers;
    assert.ok(server);
    return server;
  }

  afterEach(() => bench?.servers.dispose());

  it('are not started before they are needed, and are running with their tools after', async () => {
    bench = new McpBench({ one: scripted({ tools: [{ name: 'echo', description: 'Says it again' }] }) });
    await bench.servers.refresh();
    assert.equal(bench.servers.get('one')?.state, 'stopped');
    await bench.ready();
    const server = bench.servers.get('one');
    assert.equal(server?.state, 'running');
    assert.deepEqual(
      server?.tools.map(({ name }) => name),
      ['echo'],
    );
    assert.match(server?.protocol ?? '', /^20\d\d-/);
    assert.equal(textOf(await server.call('echo', { a: 1 }, nobody)), '{"a":1}');
  });

  it('that end at a question of the newest protocol are spoken to in an older one', async () => {
    const server = await started({ old: scripted({ tools: [{ name: 'echo' }], does: 'exitAtDiscover' }) });
    assert.equal(server.state, 'running', server.log.text);
    assert.equal(textOf(await server.call('echo', {}, nobody)), '{}');
  });

  it('that cannot start say why', async () => {
    const missing = await started({ missing: { command: 'no-such-program-anywhere' } });
    assert.equal(missing.state, 'failed');
    assert.match(missing.problem ?? '', /no-such-program-anywhere/);
    await bench?.servers.dispose();
    const broken = await started({ broken: scripted({ does: 'exitAtOnce' }) });
    assert.equal(broken.state, 'failed');
    assert.match(broken.log.text, /no licence key/);
  });

  it('fail the call that made them crash, say so, and start again for the next one', async () => {
    const server = await started({ one: scripted({ tools: [{ name: 'crash', does: 'crash' }, { name: 'echo' }] }) });
    await assert.rejects(server.call('crash', {}, nobody), McpError);
    await until(() => server.state === 'failed');
    assert.match(server.problem ?? '', /code 3/);
    assert.equal(textOf(await server.call('echo', {}, nobody)), '{}');
    assert.equal(server.state, 'running');
  });

  it('that are to run in the sandbox are started as it says, and told when they end', async () => {
    const confined: string[] = [];
    const confine: ConfineProgram = async ({ cwd, ...asked }) => {
      confined.push(`${path.basename(asked.file)} in ${cwd}`);
      const args = [
        '-e',
        `process.env.MCP_SCRIPT=${JSON.stringify(JSON.stringify({ tools: [{ name: 'inside' }] }))};import(${JSON.stringify(program)})`,
      ];
      return Promise.resolve({ program: { ...asked, args }, finish: async () => Promise.resolve(confined.push('finished')) });
    };
    bench = new McpBench({ one: { ...scripted({}), cwd: '/', sandbox: true }, two: scripted({}) }, new Map(), connect, confine);
    await bench.ready();
    assert.deepEqual(
      bench.servers.get('one')?.tools.map(({ name }) => name),
      ['inside'],
      bench.servers.get('one')?.log.text,
    );
    await bench.servers.dispose();
    assert.deepEqual(confined, [`${path.basename(process.execPath)} in /`, 'finished']);
  });

  it('that cannot run in the sandbox do not start without it, and say why', async () => {
    const refuse: ConfineProgram = () => Promise.reject(new SandboxError('missing', 'bubblewrap is missing'));
    bench = new McpBench({ one: { ...scripted({}), cwd: '/', sandbox: true } }, new Map(), connect, refuse);
    await bench.ready();
    const server = bench.servers.get('one');
    assert.deepEqual([server?.state, server?.problem, server?.pid], ['failed', 'bubblewrap is missing', null]);
  });

  it('that hang end with the signal of the call alone', async () => {
    const server = await started({ one: scripted({ tools: [{ name: 'hang', does: 'hang' }, { name: 'echo' }] }) });
    const ending = new AbortController();
    const hanging = server.call('hang', {}, { ...nobody, signal: ending.signal });
    ending.abort();
    await assert.rejects(hanging, { code: 'cancelled' });
    assert.equal(textOf(await server.call('echo', {}, nobody)), '{}');
  });

  it('leave no process behind, also none that they have started themselves', async () => {
    const server = await started({ one: scripted({ tools: [{ name: 'child', does: 'child' }] }) });
    const { pid } = server;
    const child = Number(textOf(await server.call('child', {}, nobody)));
    assert.ok(pid !== null && child > 0);
    await bench?.servers.dispose();
    await gone(pid);
    await gone(child);
  });

  it('that a person has stopped stay so until a person starts them', async () => {
    const server = await started({ one: scripted({ tools: [{ name: 'echo' }] }) });
    await bench?.servers.stop('one');
    assert.equal(server.state, 'stopped');
    await bench?.ready();
    assert.equal(server.state, 'stopped');
    await assert.rejects(server.call('echo', {}, nobody), McpError);
    await bench?.servers.start('one');
    assert.equal(server.state, 'running');
  });

  it('go when they are taken out of the settings, and are others when they are changed', async () => {
    const server = await started({ one: scripted({ tools: [{ name: 'echo' }] }) });
    const { pid } = server;
    assert.ok(bench && pid !== null);
    bench.configured = { one: scripted({ tools: [{ name: 'other' }] }) };
    await bench.ready();
    await gone(pid);
    assert.deepEqual(
      bench.servers.offered().map(({ tool }) => tool.name),
      ['one__other'],
    );
    bench.configured = {};
    await bench.servers.refresh();
    assert.deepEqual(bench.servers.servers, []);
  });

  it('have values for their variables, and say which is missing', async () => {
    const tool = { tools: [{ name: 'echo' }] };
    const server = await started({ one: { ...scripted(tool), args: ['${input:program}'] } });
    assert.equal(server.state, 'failed');
    assert.match(server.problem ?? '', /\$\{input:program\}/);
    bench?.inputs.set('program', String((scripted(tool)['args'] as string[])[0]));
    await bench?.servers.start('one');
    assert.equal(server.state, 'running', server.problem ?? '');
  });

  it('ask a person through the call that goes on', async () => {
    const server = await started({ one: scripted({ tools: [{ name: 'ask', does: 'elicit' }] }) });
    const asked: string[] = [];
    const answer = async ({ message, fields }: { message: string; fields: readonly { name: string }[] }) => {
      asked.push(message, ...fields.map(({ name }) => name));
      return { colour: 'blue' };
    };
    const result = textOf(await server.call('ask', {}, { ...nobody, answer }));
    assert.deepEqual(asked, ['Which one?', 'colour', 'count']);
    assert.deepEqual(JSON.parse(result), { action: 'accept', content: { colour: 'blue' } });
    assert.deepEqual(JSON.parse(textOf(await server.call('ask', {}, nobody))), { action: 'decline' });
  });
});
