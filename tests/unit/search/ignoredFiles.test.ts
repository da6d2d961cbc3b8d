import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Tool } from '../../../src/agent/tools/kernel/tool';
import { findFilesTool } from '../../../src/agent/tools/read/findFiles';
import { listFilesTool } from '../../../src/agent/tools/read/listFiles';
import { searchWorkspaceTool } from '../../../src/agent/tools/read/searchWorkspace';
import { WorkerSearch } from '../../../src/services/search/workerSearch';
import { systemClock } from '../../../src/utils/clock';
import { searchWorkerPath } from '../agent/support/agentBench';
import { ToolBench } from '../agent/support/toolBench';
import { ignoredContract } from './support/ignoredContract';

/** Returns the lines that a tool finds in a workspace with only this folder. */
async function linesOf(folder: string, tool: (bench: ToolBench) => Tool, input: Record<string, unknown>): Promise<string[]> {
  const bench = await ToolBench.start();
  try {
    bench.folders.splice(0, 1, { name: 'project', path: folder });
    const { content } = await bench.run(tool(bench), input);
    return content.split('\n').filter((line) => !line.startsWith('[') && !line.endsWith('/'));
  } finally {
    await bench.stop();
  }
}

ignoredContract('list_files', (folder) => linesOf(folder, ({ paths }) => listFilesTool(paths), { recursive: true }));
ignoredContract('find_files', (folder) => linesOf(folder, ({ paths }) => findFilesTool(paths, systemClock), { pattern: '**/*' }));

// `tests/extension` runs the same contract with the editor's ripgrep.
ignoredContract('search_workspace', async (folder) => {
  const search = (bench: ToolBench) => searchWorkspaceTool(bench.access, new WorkerSearch(searchWorkerPath, systemClock));
  return (await linesOf(folder, search, { query: 'needle' })).map((line) => line.replace(/:1: needle$/, ''));
});

ignoredContract('read_file without a question', async (folder) => {
  const bench = await ToolBench.start();
  try {
    bench.folders.splice(0, 1, { name: 'project', path: folder });
    const free: string[] = [];
    for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
      const file = path.relative(folder, path.join(entry.parentPath, entry.name));
      if (!entry.isFile() || file.split(path.sep)[0] === '.git') continue;
      if ((await bench.access.forReading(file, 'session')).readReasons.length === 0) free.push(file.split(path.sep).join('/'));
    }
    return free;
  } finally {
    await bench.stop();
  }
});
