import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { TextSearch } from '../../../src/services/search/textSearch';
import { WorkerSearch } from '../../../src/services/search/workerSearch';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { searchWorkerPath } from '../agent/support/agentBench';
import { textSearchContract } from './support/searchContract';

const never = new AbortController().signal;
const plain = new WorkerSearch(searchWorkerPath, systemClock);

// `tests/extension` runs the same contract with the editor's ripgrep.
textSearchContract('a worker', () => plain);

describe('text search', () => {
  it('goes on without ripgrep where that does not start', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'ollama-copilot-search-'));
    await writeFile(path.join(folder, 'a.txt'), 'needle');
    const search = new TextSearch({ locate: async () => path.join(folder, 'none') }, plain, silentLogger);
    const find = async () => (await search.search({ folder, text: 'needle', isRegex: false }, never)).matches;
    const expected = [{ path: 'a.txt', line: 1, text: 'needle' }];
    assert.deepEqual([await find(), await find()], [expected, expected]);
    await rm(folder, { recursive: true });
  });

  it('takes no ripgrep any more that is not one to be used since the workspace has changed', async () => {
    const folder = await mkdtemp(path.join(tmpdir(), 'ollama-copilot-search-'));
    await writeFile(path.join(folder, 'a.txt'), 'needle');
    const found = [path.join(folder, 'rg'), undefined];
    await writeFile(path.join(folder, 'rg'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
    const search = new TextSearch({ locate: async () => found.shift() }, plain, silentLogger);
    const find = async () => (await search.search({ folder, text: 'needle', isRegex: false }, never)).matches.length;
    assert.deepEqual([await find(), await find()], [0, 1]);
    await rm(folder, { recursive: true });
  });
});
