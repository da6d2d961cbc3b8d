import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { allAids, type ModelAids } from '../../../../src/agent/kernel/modelAids';
import type { EntryOf } from '../../../../src/protocol/entries';
import { printingModel, type RealServer } from '../../../support/ollama/realServer';
import { AgentBench } from '../../../unit/agent/support/agentBench';
import { allowUntilOver } from '../../../unit/agent/support/allowUntilOver';
import { isOnce } from '../figures';

/** Turn of a tiny model: the request and the correct call. */
interface Turn {
  ask: string;
  tool: string;
  input: Readonly<Record<string, string>>;
}

const files = [
  'README.md',
  'src/index.ts',
  'a.txt',
  'notes.txt',
  'main.py',
  'lib/util.js',
  'data.json',
  'TODO.md',
  'go.mod',
  'x.css',
];
const texts = [
  'Buy milk',
  'alpha',
  'Call Ben',
  'one two three',
  'Hello world',
  'beta',
  'First',
  'Water the plants',
  'done',
  'x = 1',
];
const programs = [
  'ls',
  'pwd',
  'echo hello',
  'date',
  'whoami',
  'uname',
  'node --version',
  'git --version',
  'echo one two',
  'ls src',
];

const turns: readonly Turn[] = files.flatMap((file, at) => [
  { ask: `Read ${file}`, tool: 'read_file', input: { path: file } },
  {
    ask: `Create new/${file} with ${texts[at]}`,
    tool: 'create_file',
    input: { path: `new/${file}`, content: texts[at] ?? '' },
  },
  { ask: `Run ${programs[at]}`, tool: 'run_terminal_command', input: { command: programs[at] ?? '' } },
]);

export const tinyModels = ['oc-tools:latest', 'oc-tools-native:latest', printingModel] as const;
const noAids = Object.fromEntries(Object.keys(allAids).map((aid) => [aid, false])) as unknown as ModelAids;

/** Counts the turns in which a tiny model runs the right tool with the right arguments. `of`: number of turns. */
export async function rightTurns(server: RealServer, model: string, hasAids: boolean): Promise<{ right: number; of: number }> {
  const asked = isOnce ? turns.slice(0, 3) : turns;
  const bench = await AgentBench.start({
    baseUrl: server.baseUrl,
    aids: hasAids ? allAids : noAids,
    settings: { 'agentMode.temperature': 0, 'agent.maxContextWindow': 4096, 'agent.maxIterations': 1 },
  });
  try {
    let right = 0;
    for (const turn of asked) if (await isRight(bench, model, turn)) right += 1;
    return { right, of: asked.length };
  } finally {
    await bench.stop();
  }
}

async function isRight(bench: AgentBench, model: string, { ask, tool, input }: Turn): Promise<boolean> {
  const { workspace } = bench.folders;
  for (const name of readdirSync(workspace)) rmSync(path.join(workspace, name), { recursive: true });
  const { path: file } = input;
  if (tool === 'read_file' && file !== undefined) {
    mkdirSync(path.dirname(bench.file(file)), { recursive: true });
    writeFileSync(bench.file(file), 'A line\n');
  }
  const sessionId = await bench.send(ask, { model });
  await allowUntilOver(bench, sessionId, 0);
  const { entries } = await bench.database.log.read(sessionId, 0);
  const calls = entries.filter((entry): entry is EntryOf<'tool_call'> => entry.type === 'tool_call');
  const results = entries.filter((entry): entry is EntryOf<'tool_result'> => entry.type === 'tool_result');
  return calls.some(({ data }) => {
    const hasRun = results.some((result) => result.data.callId === data.callId && result.data.status === 'success');
    return hasRun && data.name === tool && Object.entries(input).every(([key, value]) => data.input[key] === value);
  });
}
