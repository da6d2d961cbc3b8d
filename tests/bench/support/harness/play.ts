import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import type { ModelAids } from '../../../../src/agent/kernel/modelAids';
import type { ModelSpec } from '../../../support/ollama/doubleModel';
import { AgentBench } from '../../../unit/agent/support/agentBench';
import { allowUntilOver } from '../../../unit/agent/support/allowUntilOver';
import { families, type Family } from './families';
import { ScriptedModel } from './scriptedModel';
import type { Task } from './tasks';

/** Results of the families, by family name. */
export type Played = Record<string, { done: number; turns: number }>;

/** Runs each task with each family on the whole agent, with some of its aids off. */
export async function playAll(
  tasks: readonly Task[],
  players: readonly Family[],
  off: Partial<ModelAids>,
  given: Readonly<Record<string, unknown>> = {},
): Promise<Played> {
  const models = players.map(({ name, hasTools }): ModelSpec => ({
    name: modelName(name),
    capabilities: hasTools ? ['completion', 'tools'] : ['completion'],
    contextLength: 65_536,
  }));
  const settings = given;
  const bench = await AgentBench.start({ models, aids: off, settings });
  try {
    const played: Played = {};
    for (const family of players) {
      const sum = { done: 0, turns: 0 };
      for (const [taskAt, task] of tasks.entries()) {
        const model = new ScriptedModel(family, task, { family: families.indexOf(family), task: taskAt });
        const isDone = await play(bench, task, model, modelName(family.name));
        sum.done += isDone ? 1 : 0;
        sum.turns += model.requests;
      }
      played[family.name] = sum;
    }
    return played;
  } finally {
    await bench.stop();
  }
}

const modelName = (family: string): string => family.toLowerCase().replaceAll(/\W+/g, '-');

/** Runs a task. Resolves with true if the final files and the commands that ran are those that the task asks for. */
async function play(bench: AgentBench, task: Task, script: ScriptedModel, model: string): Promise<boolean> {
  const { workspace } = bench.folders;
  for (const [name, text] of Object.entries(task.before)) {
    mkdirSync(path.dirname(bench.file(name)), { recursive: true });
    writeFileSync(bench.file(name), text);
  }
  bench.double.onChat((request) => script.answer(request));
  bench.double.onRepair(() => script.repair());
  const sessionId = await bench.send(task.ask, { model });
  if (task.commands.length > 0) await allowUntilOver(bench, sessionId, 0);
  await bench.over(sessionId);
  const { entries } = await bench.database.log.read(sessionId, 0);
  const ran = entries.flatMap((entry) =>
    entry.type === 'tool_call' && entry.data.name === 'run_terminal_command' ? [String(entry.data.input['command'])] : [],
  );
  const isDone = same(filesIn(workspace), task.after) && same([...new Set(ran)], task.commands);
  for (const name of readdirSync(workspace)) rmSync(path.join(workspace, name), { recursive: true });
  return isDone;
}

function filesIn(folder: string): Record<string, string> {
  const all = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = all.map((entry) => path.join(entry.parentPath, entry.name));
  return Object.fromEntries(
    files.map((file) => [path.relative(folder, file).replaceAll(path.sep, '/'), readFileSync(file, 'utf8')]),
  );
}

/** Compares two values regardless of the order of their keys. */
function same(one: object, other: object): boolean {
  const sorted = (value: object): string => JSON.stringify(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
  return sorted(one) === sorted(other);
}
