import assert from 'node:assert/strict';
import { readServers, type ServerConfig } from '../../../src/mcp/config/serverConfig';
import { resolved } from '../../../src/mcp/config/variables';

describe('${env:NAME} in the definition of an MCP server', () => {
  const source = {
    folder: () => '/work',
    home: () => '/home/me',
    env: (name: string) => `value of ${name}`,
    input: async () => Promise.resolve('given'),
  };
  const server = (origin: ServerConfig['origin'], environment?: readonly string[]): ServerConfig => {
    const [one] = readServers({ a: { command: 'x', args: ['${env:A}', '${env:B}'] } }, origin).servers;
    assert.ok(one);
    return { ...one, ...(environment && { environment }) };
  };

  it('is the value of a variable that the question of the workspace has listed, and of no other', async () => {
    const reach = await resolved(server('workspace', ['A', 'B']), source);
    assert.deepEqual(reach.kind === 'stdio' && reach.args, ['value of A', 'value of B']);
    for (const listed of [['A'], [], undefined])
      await assert.rejects(resolved(server('workspace', listed), source), /\$\{env:[AB]\}.* not listed/);
  });

  it('is the value of any variable in the settings of the person', async () => {
    const reach = await resolved(server('settings'), source);
    assert.deepEqual(reach.kind === 'stdio' && reach.args, ['value of A', 'value of B']);
  });

  it('stays as it is where a client passed the value itself', async () => {
    const reach = {
      kind: 'stdio',
      command: '${env:HOME}',
      args: ['${workspaceFolder}'],
      env: { A: '${input:a}' },
      cwd: null,
    } as const;
    const nothing = () => assert.fail('No variable is asked for');
    const source = { folder: () => '/work', home: nothing, env: nothing, input: nothing };
    const literal = { name: 'srv', origin: 'workspace', isLiteral: true, reach } as const;
    assert.deepEqual(await resolved(literal, source), { ...reach, cwd: '/work' });
  });
});
