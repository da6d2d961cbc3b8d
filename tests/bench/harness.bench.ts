import { allAids, type ModelAids } from '../../src/agent/kernel/modelAids';
import { exactCopies, linesToCopy } from '../support/ollama/exactCopies';
import { printingModel, RealServer } from '../support/ollama/realServer';
import { isOnce, report } from './support/figures';
import { families } from './support/harness/families';
import { playAll, type Played } from './support/harness/play';
import { loadTasks, microTasks } from './support/harness/tasks';
import { rightTurns, tinyModels } from './support/harness/tinyModels';

/**
 * Measures the benefit of each aid for weak models (docs/weak-models.md). Scripted models make the mistakes of twelve families on the same
 * tasks, with one aid off at a time, compared with all aids on. With `OLLAMA_HOST`, also compares tiny models with all aids and with none,
 * and counts the lines that models copy exactly with and without the repeat penalty of servers before 0.32.10. `BENCH_COPY_MODELS` lists
 * the models for copying, separated by commas.
 */

interface Ablation {
  name: string;
  off: Partial<ModelAids>;
  settings?: Readonly<Record<string, unknown>>;
}

const allDeclared = { 'agent.loadTools': false };
const noLineEdits = { 'agent.disabledTools': ['replace_lines'] };

const aids = Object.keys(allAids) as (keyof ModelAids)[];
const names: Readonly<Record<keyof ModelAids, string>> = {
  printedCalls: 'printed calls',
  healing: 'healing of edits',
  callRepair: 'grammar retry',
  nearestLines: 'nearest lines',
  loopGuard: 'loop guard',
  claimChallenge: 'claim challenge',
};
const ablations: readonly Ablation[] = [
  ...aids.map((aid) => ({ name: `without ${names[aid]}`, off: { [aid]: false } })),
  { name: 'without healing and nearest lines', off: { healing: false, nearestLines: false } },
  { name: 'without healing and replace_lines', off: { healing: false }, settings: noLineEdits },
  { name: 'without replace_lines', off: {}, settings: noLineEdits },
  { name: 'with all tools declared', off: {}, settings: allDeclared },
  { name: 'without any of it', off: Object.fromEntries(aids.map((aid) => [aid, false])), settings: noLineEdits },
];

async function main(): Promise<void> {
  // A short round runs one task of each kind with three families.
  const tasks = microTasks().filter((_, at) => !isOnce || at % 12 === 0);
  const players = isOnce ? families.slice(0, 3) : families;
  const whole = await playAll(tasks, players, {});
  show('all of it', whole, whole, tasks.length);
  for (const { name, off, settings } of ablations) show(name, await playAll(tasks, players, off, settings), whole, tasks.length);
  const rare = isOnce ? loadTasks().slice(0, 2) : loadTasks();
  const declared = await playAll(rare, players, {}, allDeclared);
  show('a tool that is loaded, beside all declared', await playAll(rare, players, {}), declared, rare.length);
  const server = RealServer.named();
  if (server) await measureReal(server);
}

function show(name: string, played: Played, whole: Played, tasks: number): void {
  const sum = (of: Played, what: 'done' | 'turns'): number => Object.values(of).reduce((total, one) => total + one[what], 0);
  const all = tasks * Object.keys(whole).length;
  report(
    'harness',
    `${name}: done, of ${tasks}`,
    'tasks',
    (sum(played, 'done') / all) * tasks,
    (sum(whole, 'done') / all) * tasks,
    'none',
  );
  report('harness', `${name}: a task takes`, 'turns', sum(played, 'turns') / all, sum(whole, 'turns') / all, 'none');
  for (const [family, { done }] of Object.entries(played)) {
    const usual = whole[family]?.done ?? 0;
    if (done !== usual || played === whole) report('harness', `${name}: ${family}, of ${tasks}`, 'tasks', done, usual, 'none');
  }
}

async function measureReal(server: RealServer): Promise<void> {
  await server.createPrintingModel();
  try {
    for (const model of tinyModels) {
      const after = await rightTurns(server, model, true);
      const before = await rightTurns(server, model, false);
      report('harness', `${model}: right calls of ${after.of}, beside no help`, 'turns', after.right, before.right, 'none');
    }
  } finally {
    await server.delete(printingModel);
  }
  const lines = isOnce ? linesToCopy.slice(0, 3) : linesToCopy;
  for (const model of (process.env['BENCH_COPY_MODELS'] ?? 'oc-chat').split(',')) {
    const before = await exactCopies(server, model, lines, { repeat_penalty: 1.1 });
    const after = await exactCopies(server, model, lines, { repeat_penalty: 1 });
    report(
      'harness',
      `${model}: exact copies of ${lines.length}, beside repeat_penalty 1.1`,
      'lines',
      after,
      before,
      'ratio ≥ 1',
    );
  }
}

void main();
