import assert from 'node:assert/strict';
import { entryOfForm, formOfEntry } from '../../../src/mcp/config/serverEntry';
import { mcpFormProblems, type McpServerForm } from '../../../src/protocol/forms/mcpServerForm';

type Reach<K> = Partial<Extract<McpServerForm['reach'], { kind: K }>>;

const program = (reach: Reach<'stdio'> = {}, name = 'files'): McpServerForm => ({
  name,
  reach: { kind: 'stdio', command: 'npx', args: [], env: [], cwd: null, isSandboxed: false, ...reach },
});
const address = (reach: Reach<'http'> = {}): McpServerForm => ({
  name: 'issues',
  reach: { kind: 'http', url: 'https://mcp.example.com/mcp', headers: [], ...reach },
});

describe('the form of an MCP server', () => {
  const cases: [about: string, form: McpServerForm, problems: string[]][] = [
    ['a program', program({ args: ['-y', 'x'], env: [{ name: 'A', value: '' }], cwd: '/srv' }), []],
    ['an address', address({ headers: [{ name: 'Authorization', value: 'Bearer ${input:token}' }] }), []],
    ['no name', program({}, ''), ['name nameMissing']],
    ['a name of odd characters', program({}, '../x\n'), ['name nameUnfit']],
    ['the name of another server', program({}, 'taken'), ['name nameTaken']],
    ['no program', program({ command: '' }), ['command commandMissing']],
    ['a whole command line as program', program({ command: 'npx -y server' }), ['command commandHasArguments']],
    ['a path with spaces', program({ command: 'C:\\Program Files\\node.exe' }), []],
    ['a path in the workspace', program({ command: '${workspaceFolder}/my server' }), []],
    ['a folder below nothing', program({ cwd: 'src' }), ['cwd folderRelative']],
    ['a folder of Windows', program({ cwd: 'C:\\work' }), []],
    ['a folder of the workspace', program({ cwd: '${workspaceFolder}/src' }), []],
    ['a variable without a name', program({ env: [{ name: '', value: 'x' }] }), ['env variableUnfit']],
    ['a variable with =', program({ env: [{ name: 'A=B', value: 'x' }] }), ['env variableUnfit']],
    [
      'a variable twice',
      program({
        env: [
          { name: 'A', value: '1' },
          { name: 'A', value: '2' },
        ],
      }),
      ['env namedTwice'],
    ],
    ['no address', address({ url: '' }), ['url addressMissing']],
    ['an address of another kind', address({ url: 'ftp://example.com' }), ['url addressUnfit']],
    ['an address without a host', address({ url: 'http://' }), ['url addressUnfit']],
    ['an address with a variable', address({ url: 'http://localhost:${env:PORT}/mcp' }), []],
    ['a header with a line end', address({ headers: [{ name: 'A', value: 'x\r\nB: y' }] }), ['headers headerUnfit']],
    ['a header with a space', address({ headers: [{ name: 'A B', value: 'x' }] }), ['headers headerUnfit']],
    [
      'a header twice, in other letters',
      address({
        headers: [
          { name: 'a', value: '1' },
          { name: 'A', value: '2' },
        ],
      }),
      ['headers namedTwice'],
    ],
    [
      'several mistakes',
      program({ command: '', cwd: 'x' }, ''),
      ['name nameMissing', 'command commandMissing', 'cwd folderRelative'],
    ],
  ];
  for (const [about, form, problems] of cases)
    it(`${problems.length === 0 ? 'takes' : 'refuses'} ${about}`, () => {
      assert.deepEqual(
        mcpFormProblems(form, ['taken']).map(({ field, code }) => `${field} ${code}`),
        problems,
      );
    });

  it('shows what is written down, and writes down what it shows', () => {
    const entries: Record<string, unknown>[] = [
      { command: 'npx', args: ['-y', 'x'], env: { A: '1' }, cwd: '/srv' },
      { command: 'server' },
      { command: 'server', sandbox: true },
      { url: 'https://mcp.example.com/mcp', headers: { Authorization: 'Bearer ${input:token}' } },
    ];
    for (const entry of entries) {
      const form = formOfEntry('one', entry);
      assert.ok(form);
      assert.deepEqual(entryOfForm(form, undefined), entry);
    }
    assert.equal(formOfEntry('one', { nothing: true }), null);
  });

  it('keeps what it does not show, as long as that is about a server of the same kind', () => {
    const former = { type: 'http', url: 'https://a.example', oauth: { clientId: 'c' }, note: 'mine' };
    assert.deepEqual(entryOfForm(address({ url: 'https://b.example' }), former), { ...former, url: 'https://b.example' });
    assert.deepEqual(entryOfForm(program(), former), { command: 'npx', note: 'mine' });
  });
});
