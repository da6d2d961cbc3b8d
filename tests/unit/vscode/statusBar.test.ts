import { statusItem } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import type { ConnectionState } from '../../../src/protocol/webviewEvents';
import { StatusBar, type Status } from '../../../src/vscode/statusBar';

const connection: ConnectionState = {
  state: 'unknown',
  baseUrl: 'http://localhost:11434',
  version: null,
  message: null,
  demo: false,
};
const status: Status = {
  mode: 'ask',
  connection,
  models: { models: [], stale: false, selected: { ask: 'qwen3:14b', agent: 'worker' } },
  latency: null,
  inMemory: [],
  runs: 0,
};

describe('StatusBar', () => {
  const bar = new StatusBar();
  const shown = (change: Partial<Status>) => {
    bar.update({ ...status, ...change });
    return {
      text: statusItem.text,
      lines: String(statusItem.tooltip).split('\n'),
      isWarning: statusItem.backgroundColor !== undefined,
    };
  };

  it('claims no connection before the server has been asked', () => {
    const { text, lines, isWarning } = shown({});
    assert.equal(text, '$(comment-discussion) qwen3:14b');
    assert.deepEqual(lines, ['Not connected to http://localhost:11434 yet', 'Select to change the model.']);
    assert.equal(isWarning, false);
  });

  it('says the version, how quick the server is, and what is in memory', () => {
    const inMemory = [{ name: 'qwen3:14b', size: 10e9, size_vram: 5e9 }] as unknown as Status['inMemory'];
    const { lines } = shown({ connection: { ...connection, state: 'connected', version: '0.32.1' }, latency: 12, inMemory });
    assert.deepEqual(lines, [
      'Connected to http://localhost:11434',
      'Ollama 0.32.1, response time 12 ms',
      'qwen3:14b: 10 GB in memory, 50% on the GPU',
      'Select to change the model.',
    ]);
  });

  it('shows and speaks of runs, and warns without a connection in the words of the failure', () => {
    assert.equal(shown({ runs: 2 }).text, '$(loading~spin) qwen3:14b');
    assert.ok(shown({ runs: 2 }).lines.includes('2 chats are running'));
    assert.ok(shown({ runs: 1 }).lines.includes('1 chat is running'));
    assert.equal(statusItem.accessibilityInformation?.label, 'Ollama Copilot, model qwen3:14b, running');
    const gone = shown({ connection: { ...connection, state: 'unreachable', message: 'Ollama does not answer.' } });
    assert.deepEqual([gone.text, gone.lines[0], gone.isWarning], ['$(debug-disconnect) Ollama', 'Ollama does not answer.', true]);
    assert.equal(statusItem.accessibilityInformation?.label, 'Ollama Copilot, no connection');
  });
});
