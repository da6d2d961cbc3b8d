import { afterEach, describe, expect, it } from 'vitest';
import type { McpState } from '../../src/protocol/requests/mcpRequests';
import { startApp, type TestApp } from './support/fakeHost';
import { all, get, has, nameOf, spokenText } from './support/roles';

let app: TestApp;
afterEach(() => app.wrapper.unmount());

const server: McpState['servers'][number] = {
  name: 'files',
  origin: 'settings',
  state: 'running',
  problem: null,
  reach: 'npx -y files',
  address: null,
  signIn: 'none',
  signInOrigins: [],
  warnings: ['The list of tools may be incomplete. \u202e'],
  isSandboxed: true,
  tools: [{ name: 'files__read', title: 'read', tokens: 120, isOn: true }],
};
const failed: McpState['servers'][number] = {
  name: 'issues',
  origin: 'workspace',
  state: 'failed',
  problem: 'The server exited with code 3.',
  reach: 'https://mcp.example.com',
  address: 'https://mcp.example.com',
  tools: [],
  signIn: 'none',
  signInOrigins: [],
  warnings: [],
  isSandboxed: false,
};
const waitingServer = {
  name: 'db',
  parts: [
    { label: 'Program', value: 'run-db' },
    { label: 'Argument 1', value: `--all ${'x'.repeat(300)}end` },
    { label: 'Variable TOKEN', value: '${env:TOKEN}' },
  ],
};
const mcp: McpState = {
  servers: [server, failed],
  prompts: [{ command: 'files__tidy', about: 'Tidies up', server: 'files', name: 'tidy' }],
  waiting: [{ path: '/work/.vscode/mcp.json', hash: 'h', servers: [waitingServer], environment: ['TOKEN'] }],
  problems: ['odd: A server needs a command or an address.'],
};

async function open(tab: string, state = mcp): Promise<void> {
  app = await startApp({ mcp: state });
  app.port.emit('navigate', { page: 'settings' });
  await app.settle();
  get(app.root, 'tab', tab).click();
  await app.settle();
}

describe('the MCP servers in the settings', () => {
  it('are listed with their state, command and tools', async () => {
    await open('Tools');
    const rows = all(get(app.root, 'list', 'MCP servers'), 'listitem').map(spokenText);
    expect(rows[0]).toContain('files');
    expect(rows[0]).toContain('running · in the sandbox · 1 tool, about 120 tokens');
    expect(rows[0]).toContain('The list of tools may be incomplete. ⟨U+202E⟩');
    expect(rows.join()).toContain('The server exited with code 3.');
    expect(rows.join()).toContain('failed · from this workspace');
    expect(all(app.root, 'alert').map(spokenText).join()).toContain('odd: A server needs a command or an address.');
  });

  it('are started, stopped, restarted, and show their log', async () => {
    await open('Tools');
    for (const [name, action] of [
      ['Stop server files', 'stop'],
      ['Restart files', 'restart'],
      ['Show log of files', 'log'],
      ['Start issues', 'start'],
    ] as const) {
      get(app.root, 'button', name).click();
      await app.settle();
      expect(app.api.actOnMcpServer).toHaveBeenLastCalledWith({ name: name.split(' ').at(-1), action });
    }
  });

  it('are signed in to where they want it, and signed out of', async () => {
    const wanting = { ...failed, signIn: 'needed' as const };
    const known = { ...server, name: 'notes', signIn: 'done' as const, signInOrigins: ['https://login.example.com'] };
    await open('Tools', { ...mcp, servers: [wanting, known] });
    get(app.root, 'button', 'Sign in to issues').click();
    await app.settle();
    expect(app.api.actOnMcpServer).toHaveBeenLastCalledWith({ name: 'issues', action: 'signIn' });
    get(app.root, 'button', 'Sign out of notes').click();
    await app.settle();
    expect(app.api.actOnMcpServer).toHaveBeenLastCalledWith({ name: 'notes', action: 'signOut' });
  });

  it('count the addresses of their sign-ins as ways out', async () => {
    await open('Privacy', { ...mcp, servers: [{ ...server, signIn: 'done', signInOrigins: ['https://login.example.com'] }] });
    expect(spokenText(app.root)).toContain('https://login.example.com: where you signed in');
  });

  it('of the workspace are shown in full before they may start', async () => {
    await open('Tools');
    const group = get(app.root, 'group', 'Workspace servers waiting for approval');
    const text = spokenText(get(group, 'group', 'How the servers are started'));
    for (const { label, value } of waitingServer.parts) expect(text).toContain(`${label} ${value}`);
    expect(text).toContain('Environment variables passed to these servers: TOKEN');
    get(group, 'button', 'Allow these servers').click();
    await app.settle();
    expect(app.api.allowMcpFile).toHaveBeenCalledExactlyOnceWith({ path: '/work/.vscode/mcp.json', hash: 'h' });
  });

  it('follow what becomes of them', async () => {
    await open('Tools');
    app.port.emit('mcp', { ...mcp, servers: [{ ...server, state: 'stopped', tools: [] }] });
    await app.settle();
    expect(all(get(app.root, 'list', 'MCP servers'), 'button').map(nameOf)).toEqual([
      'Start files',
      'Show log of files',
      'Edit files',
      'Remove files',
    ]);
  });

  it('have their prompts among the commands, whose text is put into the message', async () => {
    app = await startApp({ mcp });
    const field = get(app.root, 'textbox', 'Message') as HTMLTextAreaElement;
    const type = async (text: string) => {
      field.value = text;
      field.dispatchEvent(new Event('input', { bubbles: true }));
      await app.settle();
    };
    await type('/');
    await type('/files');
    expect(all(get(app.root, 'listbox', 'Commands'), 'option').map(nameOf)).toEqual(['/files__tidy']);
    get(app.root, 'option', '/files__tidy').click();
    await app.settle();
    expect(app.api.readMcpPrompt).toHaveBeenCalledExactlyOnceWith({ server: 'files', name: 'tidy' });
    expect(field.value).toBe('Text of tidy');
    expect(app.api.send).not.toHaveBeenCalled();
  });

  it('have a switch for each tool', async () => {
    await open('Tools');
    get(app.root, 'checkbox', 'files__read').click();
    await app.settle();
    expect(app.api.setToolOn).toHaveBeenCalledExactlyOnceWith({ name: 'files__read', isOn: false });
  });

  it('are removed where they are in the settings, and opened where they are in a file of the workspace', async () => {
    await open('Tools');
    get(app.root, 'button', 'Open the configuration file of issues').click();
    await app.settle();
    expect(app.api.openMcpFile).toHaveBeenCalledExactlyOnceWith({ name: 'issues' });
    expect(has(app.root, 'button', 'Remove issues')).toBe(false);
    get(app.root, 'button', 'Remove files').click();
    await app.settle();
    expect(app.api.removeMcpServer).toHaveBeenCalledExactlyOnceWith({ name: 'files' });
    expect(nameOf(document.activeElement as Element)).toBe('Add server…');
  });

  it('can be brought from other programs', async () => {
    await open('Tools');
    get(app.root, 'button', 'Import servers…').click();
    await app.settle();
    expect(app.api.importMcpServers).toHaveBeenCalledOnce();
  });

  it('are each named as a way out of the machine', async () => {
    await open('Privacy');
    const text = spokenText(app.root);
    expect(text).toContain('https://mcp.example.com: an MCP server.');
    expect(text).toContain('files: an MCP server on this computer.');
    expect(text).not.toContain('Requests go only to http://localhost:11434. No telemetry');
  });
});
