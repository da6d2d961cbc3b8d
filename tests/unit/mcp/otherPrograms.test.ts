import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { findServers, otherFiles } from '../../../src/mcp/config/otherPrograms';
import { readServers } from '../../../src/mcp/config/serverConfig';

describe('MCP servers of other programs', () => {
  it('are found in the shapes that those write, and are fit for the settings', async () => {
    const home = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-mcp-'));
    const write = (name: string, text: string | Buffer): void => {
      mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
      writeFileSync(path.join(home, name), text);
    };
    write(
      '.cursor/mcp.json',
      '{ "mcpServers": { "files": { "command": "npx", "args": ["-y", "files"], "env": { "A": "1" } } } }',
    );
    write(
      '.config/Code/User/mcp.json',
      '{ // mine\n "servers": { "web": { "type": "http", "url": "https://example.com/mcp" }, }, }',
    );
    // Programs on Windows may write UTF-16.
    write('.claude.json', Buffer.from('\uFEFF{ "projects": {}, "mcpServers": { "one": { "command": "one" } } }', 'utf16le'));
    write('.gemini/settings.json', 'no JSON');
    const found = await findServers(otherFiles({ home, settings: path.join(home, '.config') }));
    rmSync(home, { recursive: true, force: true });
    assert.deepEqual(
      found.map(({ program, name, value }) => ({ program, name, value })),
      [
        { program: 'VS Code', name: 'web', value: { url: 'https://example.com/mcp' } },
        { program: 'Claude Code', name: 'one', value: { command: 'one' } },
        { program: 'Cursor', name: 'files', value: { command: 'npx', args: ['-y', 'files'], env: { A: '1' } } },
      ],
    );
    const values = Object.fromEntries(found.map(({ name, value }) => [name, value]));
    assert.deepEqual(readServers(values, 'settings').problems, []);
  });
});
