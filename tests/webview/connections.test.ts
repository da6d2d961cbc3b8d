import { afterEach, describe, expect, it, vi } from 'vitest';
import type { ConnectionRecord } from '../../src/protocol/requests/connectionRequests';
import { startApp, type TestApp } from './support/fakeHost';
import { all, get, has, nameOf } from './support/roles';
import { untilState } from './support/untilState';

let app: TestApp;
afterEach(() => {
  app.wrapper.unmount();
  document.body.replaceChildren();
  vi.useRealTimers();
});

const record = (id: string, more: Partial<ConnectionRecord> = {}): ConnectionRecord => ({
  id,
  at: 1_760_000_000_000,
  purpose: 'ollama',
  direction: 'out',
  detail: 'POST /api/chat',
  state: 'closed',
  host: 'localhost:11434',
  address: '127.0.0.1:11434',
  sent: 1_500,
  received: 20,
  sessionId: 's1',
  ...more,
});
const process = { direction: 'process', host: '', address: null, sent: null, received: null } as const;
const records = [
  record('1', { state: 'open' }),
  record('2', { purpose: 'mcp', host: 'mcp.example.org:443', address: '192.0.2.7:443', detail: 'POST' }),
  record('3', { state: 'refused', host: 'nas.lan:80', address: null, sent: 0, received: 0 }),
  record('4', { ...process, purpose: 'command', detail: 'npm test' }),
  record('5', { ...process, purpose: 'command', detail: 'npm install', isSandboxed: true }),
  record('6', { direction: 'in', purpose: 'api', host: '127.0.0.1:4000', address: '127.0.0.1:51000', detail: '' }),
];

async function open(list: ConnectionRecord[] = records, dropped = 0): Promise<void> {
  app = await startApp();
  app.api.readConnections.mockImplementation(async () => ({ records: list, dropped }));
  app.port.emit('navigate', { page: 'settings', tab: 'privacy' });
  await app.settle();
}
const rows = () =>
  all(get(app.root, 'list', 'Connections'), 'listitem').map((row) => row.textContent?.replace(/\s+/g, ' ').trim());
async function filter(text: string): Promise<void> {
  const field = get(app.root, 'searchbox', 'Filter connections') as HTMLInputElement;
  field.value = text;
  field.dispatchEvent(new Event('input', { bubbles: true }));
  await app.settle();
}
async function press(name: string): Promise<void> {
  get(app.root, 'button', name).click();
  await app.settle();
}

describe('the list of connections', () => {
  it('opens on the page Privacy, and shows purpose, host, address, bytes and state', async () => {
    await open();
    const shown = rows();
    expect(shown[0]).toMatch(
      /^Model server.*localhost:11434 \(127\.0\.0\.1:11434\)POST \/api\/chat · 1\.5 KB sent, 20 B received · open$/,
    );
    expect(shown[1]).toMatch(/^MCP server.*mcp\.example\.org:443 \(192\.0\.2\.7:443\)/);
    expect(shown[2]).toMatch(/nas\.lan:80POST \/api\/chat · refused$/);
    expect(shown[3]).toMatch(/^Command.*npm testnot observed$/);
    expect(shown[4]).toMatch(/npm installobserved through the sandbox proxy$/);
    expect(shown[5]).toMatch(/^Local API.*from 127\.0\.0\.1:51000/);
  });

  it('names each address once with reason and count, and is filtered by a press', async () => {
    await open([...records, record('7'), record('8', { host: 'nas.lan:80' })]);
    const addresses = all(get(app.root, 'list', 'Addresses'), 'button').map((one) =>
      one.textContent?.replace(/\s+/g, ' ').trim(),
    );
    expect(addresses).toEqual([
      'localhost:11434 Model server · 2 connections',
      'nas.lan:80 Model server · 2 connections, 1 refused',
      'mcp.example.org:443 MCP server · 1 connection',
      '127.0.0.1:4000 Local API · 1 connection',
    ]);
    all(get(app.root, 'list', 'Addresses'), 'button')[2]?.click();
    await app.settle();
    expect(rows()).toHaveLength(1);
    expect(rows()[0]).toMatch(/^MCP server/);
  });

  it('is filtered by all words, and exports what is shown', async () => {
    await open();
    await filter('command npm TEST');
    expect(rows()).toHaveLength(1);
    expect(all(app.root, 'status').map((status) => status.textContent)).toContain('1 connection');
    await press('Export as CSV');
    expect(app.api.exportConnections).toHaveBeenCalledWith({ format: 'csv', ids: ['4'] });
    await filter('s1');
    await press('Export as JSON');
    expect(app.api.exportConnections).toHaveBeenLastCalledWith({ format: 'json', ids: ['1', '2', '3', '4', '5', '6'] });
    await filter('nothing like this');
    expect(has(app.root, 'list', 'Connections')).toBe(false);
    expect((get(app.root, 'button', 'Export as JSON') as HTMLButtonElement).disabled).toBe(true);
  });

  it('shows new connections while it is open, and reads none after', async () => {
    await open([]);
    vi.useFakeTimers();
    app.api.readConnections.mockImplementation(async () => ({ records, dropped: 7 }));
    app.port.emit('navigate', { page: 'settings', tab: 'privacy' });
    await vi.waitFor(() => expect(has(app.root, 'list', 'Connections')).toBe(true), untilState);
    expect(app.root.textContent).toContain('7 older connections are no longer in memory.');
    vi.useRealTimers();
    get(app.root, 'tab', 'Chat').click();
    await app.settle();
    const calls = app.api.readConnections.mock.calls.length;
    vi.useFakeTimers();
    vi.advanceTimersByTime(5_000);
    expect(app.api.readConnections.mock.calls.length).toBe(calls);
  });

  it('shows 50 rows at first, and more on request', async () => {
    await open(Array.from({ length: 120 }, (_, index) => record(String(index))));
    expect(rows()).toHaveLength(50);
    await press('Show more');
    expect(rows()).toHaveLength(100);
    expect(all(app.root, 'tab').find((tab) => tab.getAttribute('aria-selected') === 'true')?.textContent).toBe('Privacy');
    expect(nameOf(get(app.root, 'searchbox', 'Filter connections'))).toBe('Filter connections');
  });
});
