import assert from 'node:assert/strict';
import { mkdir, writeFile } from 'node:fs/promises';
import { silentLogger } from '../../../src/utils/logger';
import type { Scripted } from '../../support/ollama/doubleReply';
import { AgentBench } from './support/agentBench';

const steps = 60;
/** Text of each answer. It is long enough to fill the window during the task. */
const said = 'I look at what is there and change what the task asks for. '.repeat(9);

/** Returns one step of the task. Each kind of work comes in turn, including failing and useless calls. */
function stepAt(step: number): Scripted {
  const path = `src/part${step % parts}.ts`;
  const kinds: [string, Record<string, unknown>][] = [
    ['read_file', { path }],
    ['replace_in_file', { path, oldText: `let value${step % parts} = `, newText: `let value${step % parts} = ${step} + ` }],
    ['search_workspace', { query: `value${step % parts} ` }],
    ['create_file', { path: `notes/step${step}.md`, content: `Step ${step} is done.\n` }],
    ['read_file', { path: `missing${step}.ts` }],
    ['update_todos', { todos: [{ text: `Step ${step}`, status: 'in_progress' }] }],
  ];
  const [name, input] = kinds[step % kinds.length] ?? ['list_files', {}];
  return [`Step ${step}. ${said}`, { call: { name, arguments: input } }];
}

const parts = 12;

/** Runs a task of 60 steps on a server that counts cached tokens. */
describe('the prompt of a long task', () => {
  let bench: AgentBench;
  afterEach(() => bench.stop());

  it('comes from the cache, at least 95 of 100 tokens of every step but those right after room was made', async () => {
    const worker = { name: 'worker', capabilities: ['completion', 'tools'], contextLength: 16_384, countsCache: true } as const;
    const measured: { share: number; isAfterRoom: boolean }[] = [];
    let isAfterRoom = false;
    const debug = (text: string): void => {
      const share = /^Prompt cache: (\d+) %/.exec(text)?.[1];
      if (share === undefined) return;
      measured.push({ share: Number(share), isAfterRoom });
      isAfterRoom = false;
    };
    const settings = { 'agent.maxIterations': steps + 5 };
    bench = await AgentBench.start({ models: [worker], settings, logger: { ...silentLogger, debug } });
    bench.database.log.onDidChange((event) => {
      if (event.kind !== 'entry') return;
      const { type, data } = event.entry;
      isAfterRoom ||= type === 'compact_marker' || (type === 'system_message' && data.code === 'shortened');
    });
    await mkdir(bench.file('src'));
    for (let part = 0; part < parts; part += 1)
      await writeFile(bench.file(`src/part${part}.ts`), `let value${part} = 1;\nexport { value${part} };\n`);
    let asked = 0;
    bench.double.onChat(() => {
      asked += 1;
      return asked > steps ? 'All is done. [TASK_COMPLETE]' : stepAt(asked - 1);
    });
    const rules = Array.from(
      { length: 400 },
      (_, rule) => `Rule ${rule}: keep the names of part ${rule % parts} as they are, please.`,
    );
    await bench.ask(`Work through the parts, one by one.\n${rules.join('\n')}`);
    assert.deepEqual([asked, measured.length], [steps + 1, steps + 1]);
    assert.ok(measured.some((one) => one.isAfterRoom));
    const [, ...later] = measured;
    assert.deepEqual(
      later.filter((one) => one.share < 95 && !one.isAfterRoom),
      [],
    );
  });
});
