import { afterEach, describe, expect, it } from 'vitest';
import type { HostResult } from '../../src/protocol/hostApi';
import { RequestFailure } from '../../src/protocol/rpc';
import { startApp, type TestApp } from './support/fakeHost';
import { all, descriptionOf, get, has, nameOf, spokenText } from './support/roles';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
});

const own: HostResult<'listMcpServers'>['servers'][number] = {
  name: 'memory',
  origin: 'settings',
  state: 'stopped',
  problem: null,
  reach: 'run',
  address: null,
  tools: [],
  signIn: 'none',
  signInOrigins: [],
  warnings: [],
  isSandboxed: false,
};

async function openTools(options: Parameters<typeof startApp>[0] = {}): Promise<void> {
  app = await startApp({ mcp: { servers: [own], prompts: [], waiting: [], problems: [] }, ...options });
  app.port.emit('navigate', { page: 'settings' });
  await app.settle();
  await press('Tools', 'tab');
}

async function press(name: string, role = 'button'): Promise<void> {
  const element = get(app.root, role, name);
  element.focus();
  element.click();
  await app.settle();
}

async function write(name: string, value: string): Promise<void> {
  const field = get(app.root, 'textbox', name) as HTMLInputElement;
  field.focus();
  field.value = value;
  field.dispatchEvent(new Event('input', { bubbles: true }));
  field.blur();
  await app.settle();
}

const focused = () => nameOf(document.activeElement as Element);
const alerts = () => all(app.root, 'alert').map(spokenText);

describe('the form for an MCP server', () => {
  it('takes a program, with one argument a line', async () => {
    await openTools();
    await press('Add server…');
    expect(focused()).toBe('Name');
    await write('Name', 'files');
    await write('Command', 'npx');
    await write('Arguments', '-y\n\nserver with spaces\n');
    await press('Add variable');
    expect(focused()).toBe('Name of variable 1');
    await write('Name of variable 1', 'KEY');
    await write('Value of variable 1', 'x=1');
    await write('Folder', '/srv');
    get(app.root, 'checkbox', 'Run in the sandbox').click();
    await app.settle();
    expect(app.api.testMcpServer).not.toHaveBeenCalled();
    await press('Save');
    expect(app.api.saveMcpServer).toHaveBeenCalledExactlyOnceWith({
      former: null,
      server: {
        name: 'files',
        reach: {
          kind: 'stdio',
          command: 'npx',
          args: ['-y', 'server with spaces'],
          env: [{ name: 'KEY', value: 'x=1' }],
          cwd: '/srv',
          isSandboxed: true,
        },
      },
    });
    expect(has(app.root, 'form', 'Add MCP server')).toBe(false);
    expect(focused()).toBe('Add server…');
  });

  it('shows the row of a new server and gives it the focus', async () => {
    await openTools();
    await press('Add server…');
    await write('Name', 'files');
    await write('Command', 'npx');
    const revealed: Element[] = [];
    Element.prototype.scrollIntoView = function () {
      revealed.push(this);
    };
    const servers = [own, { ...own, name: 'files' }];
    app.api.listMcpServers.mockResolvedValue({ servers, prompts: [], waiting: [], problems: [] });
    await press('Save');
    const row = all(get(app.root, 'list', 'MCP servers'), 'listitem')[1];
    expect([document.activeElement, revealed.at(-1)]).toEqual([row, row]);
    expect(spokenText(row as Element)).toContain('files');
    expect(has(app.root, 'form', 'Add MCP server')).toBe(false);
  });

  it('takes an address, and keeps the value of a header out of the settings', async () => {
    await openTools();
    await press('Add server…');
    await write('Name', 'issues');
    await press('Server at an address (HTTP)', 'radio');
    await write('Address', 'https://mcp.example.com/mcp');
    await press('Add header');
    await write('Name of header 1', 'Authorization');
    await press('Store the value of Authorization as a secret. VS Code asks you for it.');
    await press('Save');
    expect(app.api.saveMcpServer).toHaveBeenCalledExactlyOnceWith({
      former: null,
      server: {
        name: 'issues',
        reach: {
          kind: 'http',
          url: 'https://mcp.example.com/mcp',
          headers: [{ name: 'Authorization', value: 'Bearer ${input:token}' }],
        },
      },
    });
  });

  it('says beside each field what is wrong, once it was left, and saves nothing', async () => {
    await openTools();
    await press('Add server…');
    expect(alerts()).toEqual([]);
    await write('Command', 'npx -y server');
    expect(alerts()).toEqual(['Enter only the program here. Enter its arguments below, one per line.']);
    expect(descriptionOf(get(app.root, 'textbox', 'Command'))).toContain('Enter only the program here');
    await write('Name', 'memory');
    expect(alerts()[0]).toBe('A server named memory already exists. Enter another name.');
    await press('Save');
    expect(app.api.saveMcpServer).not.toHaveBeenCalled();
    expect(focused()).toBe('Name');
    await write('Name', 'other');
    await write('Arguments', '-v');
    expect(alerts()).toEqual([]);
  });

  it('tests a server, and shows its tools with what they take', async () => {
    await openTools();
    app.api.testMcpServer.mockResolvedValueOnce({
      outcome: 'running',
      problem: null,
      warnings: ['Only the first 128 of 130 tools are offered.'],
      log: '',
      tools: [
        { name: 'read', about: 'Reads a file', tokens: 120 },
        { name: 'write', about: '', tokens: 80 },
      ],
    });
    await press('Add server…');
    await press('Fill in Filesystem');
    await press('Test');
    expect(app.api.testMcpServer.mock.calls[0]?.[0].server.reach).toMatchObject({ command: 'npx' });
    expect(all(app.root, 'status').map(spokenText).join()).toContain('Connected. 2 tools, which add about 200 tokens');
    expect(all(app.root, 'status').map(spokenText).join()).toContain('Only the first 128 of 130 tools are offered.');
    expect(all(get(app.root, 'list', 'Tools of this server'), 'listitem').map(spokenText)).toEqual([
      'read · about 120 tokens Reads a file',
      'write · about 80 tokens',
    ]);
    await write('Arguments', '-y\nanother');
    expect(has(app.root, 'list', 'Tools of this server')).toBe(false);
  });

  it('shows why a test failed, and its log', async () => {
    await openTools();
    const failed = {
      outcome: 'failed' as const,
      tools: [],
      problem: 'The program nix was not found.',
      warnings: [],
      log: 'last words',
    };
    app.api.testMcpServer.mockResolvedValueOnce(failed);
    await press('Add server…');
    await write('Name', 'x');
    await write('Command', 'nix');
    await press('Test');
    expect(alerts()).toEqual(['The program nix was not found.']);
    expect(spokenText(get(app.root, 'form', 'Add MCP server'))).toContain('last words');
    app.api.testMcpServer.mockRejectedValueOnce(new RequestFailure('denied', 'Trust this workspace first.'));
    await press('Test');
    expect(alerts()).toEqual(['Trust this workspace first.']);
  });

  it('ends a test with its button, with Escape, and when it is closed', async () => {
    await openTools();
    let end: (result: HostResult<'testMcpServer'>) => void = () => undefined;
    app.api.testMcpServer.mockImplementation(() => new Promise((resolve) => (end = resolve)));
    await press('Add server…');
    await press('Fill in Memory');
    const stopped = { outcome: 'stopped' as const, tools: [], problem: null, warnings: [], log: '' };
    await press('Test');
    expect(focused()).toBe('Stop the test');
    await press('Stop the test');
    expect(app.api.stopMcpTest).toHaveBeenCalledTimes(1);
    end({ ...stopped, tools: [] });
    await app.settle();
    expect(focused()).toBe('Test');
    await press('Test');
    await app.press('Escape');
    expect(app.api.stopMcpTest).toHaveBeenCalledTimes(2);
    expect(has(app.root, 'form', 'Add MCP server')).toBe(true);
    await press('Cancel');
    expect(app.api.stopMcpTest).toHaveBeenCalledTimes(3);
    end({ ...stopped, tools: [] });
    await app.settle();
    expect(has(app.root, 'form', 'Add MCP server')).toBe(false);
  });

  it('closes with Escape, and the settings stay', async () => {
    await openTools();
    await press('Add server…');
    await app.press('Escape');
    expect(has(app.root, 'form', 'Add MCP server')).toBe(false);
    expect(focused()).toBe('Add server…');
    expect(has(app.root, 'tab', 'Tools')).toBe(true);
  });

  it('is filled in by a reference server, under a name that is free', async () => {
    await openTools();
    await press('Add server…');
    const rows = all(get(app.root, 'list', 'MCP reference servers'), 'listitem').map(spokenText);
    expect(rows.map((row) => row.split(' ')[0])).toEqual(['Filesystem', 'Memory', 'Sequential', 'Everything']);
    await press('Fill in Memory');
    const value = (name: string) => (get(app.root, 'textbox', name) as HTMLInputElement).value;
    expect(value('Name')).toBe('memory-2');
    expect(value('Command')).toBe('npx');
    expect(value('Arguments')).toBe('-y\n@modelcontextprotocol/server-memory');
    expect(value('Value of variable 1')).toBe('${userHome}/mcp-memory.jsonl');
    expect(app.api.testMcpServer).not.toHaveBeenCalled();
    expect(app.api.saveMcpServer).not.toHaveBeenCalled();
  });

  it('changes a server that is there, and says why it could not be saved', async () => {
    const server = {
      name: 'memory',
      reach: { kind: 'stdio' as const, command: 'run', args: [], env: [], cwd: null, isSandboxed: false },
    };
    await openTools({ mcpServer: server });
    await press('Edit memory');
    expect(nameOf(get(app.root, 'form'))).toBe('Edit MCP server memory');
    expect(has(app.root, 'list', 'MCP reference servers')).toBe(false);
    await write('Name', 'notes');
    app.api.saveMcpServer.mockRejectedValueOnce(
      new RequestFailure('settingNotSaved', 'Could not save the setting. The file has mistakes.'),
    );
    await press('Save');
    expect(alerts()).toEqual(['Could not save the setting. The file has mistakes.']);
    await press('Save');
    expect(app.api.saveMcpServer).toHaveBeenLastCalledWith({ former: 'memory', server: { ...server, name: 'notes' } });
    expect(has(app.root, 'form')).toBe(false);
    expect(focused()).toBe('Edit memory');
  });
});
