import assert from 'node:assert/strict';
import { examVerdict } from '../../../src/types/examVerdict';
import type { ModelExam } from '../../../src/types/exam';
import { examChanges, modelDefaults, type DefaultChoices, type ModelDefaults } from '../../../src/types/modelDefaults';
import { AgentBench } from '../agent/support/agentBench';
import { examWith, failedExam, inTasks, lostCallsExam, printedExam, weakPatchExam } from './support/exams';

const capabilities = { chat: true, fim: false, tools: true, vision: false, embedding: false, thinking: false };
const auto: DefaultChoices = { toolCalls: 'auto', usesExam: true, loadsTools: true };
const usual: ModelDefaults = { isPrinted: false, isBySchema: false, weakEdit: null, hasFewTools: false, isCompact: true };
const withExam = (exam?: ModelExam, choices: Partial<DefaultChoices> = {}): ModelDefaults =>
  modelDefaults({ capabilities, ...(exam && { exam }) }, { ...auto, ...choices });

describe('the verdict of an exam', () => {
  it('counts tasks, and measures the speed over all answers', () => {
    const exam = examWith({ edit: { hasRightFiles: false, answerTokens: 60 }, read: { hasGoodCalls: false, hasLoop: true } });
    const { calls, edits, loops, done, tokensPerSecond, window, isFit } = examVerdict(exam);
    assert.deepEqual(
      { calls, edits, loops, done, tokensPerSecond, window, isFit },
      { calls: 12, edits: 12, loops: 1, done: 13, tokensPerSecond: 420 / 13, window: 8192, isFit: true },
    );
  });

  it('fails a model with fewer than 9 tasks with good calls or right files, or with more than 2 loops', () => {
    const fits = (change: object, count: number): boolean =>
      examVerdict(inTasks((['read', 'edit', 'twoFiles', 'patch', 'search'] as const).slice(0, count), change)).isFit;
    assert.deepEqual([fits({ hasGoodCalls: false }, 4), fits({ hasGoodCalls: false }, 5)], [true, false]);
    assert.deepEqual([fits({ hasRightFiles: false }, 4), fits({ hasRightFiles: false }, 5)], [true, false]);
    assert.deepEqual([fits({ hasLoop: true }, 2), fits({ hasLoop: true }, 3)], [true, false]);
  });
});

describe('the defaults of a model', () => {
  it('follow its exam', () => {
    assert.deepEqual(withExam(), usual);
    assert.deepEqual(withExam(examWith({})), usual);
    assert.deepEqual(withExam(printedExam), { ...usual, isPrinted: true });
    assert.deepEqual(withExam(lostCallsExam), { ...usual, isBySchema: true });
    assert.deepEqual(withExam(weakPatchExam), { ...usual, weakEdit: 'apply_patch' });
    const replaces = inTasks(['edit', 'twoFiles', 'search', 'prohibition'], { hasRightFiles: false });
    assert.deepEqual(withExam(replaces), { ...usual, weakEdit: 'replace_in_file' });
    assert.equal(withExam(failedExam).hasFewTools, true);
  });

  it('have all tools in full for a model that could not load one, and for a user who does not want it', () => {
    const fails = inTasks(['load'], { hasRightFiles: false });
    assert.deepEqual(withExam(fails), { ...usual, isCompact: false });
    assert.deepEqual(withExam(fails, { usesExam: false }), usual);
    assert.deepEqual(withExam(undefined, { loadsTools: false }), { ...usual, isCompact: false });
  });

  it('do not follow an incomplete exam', () => {
    assert.deepEqual(withExam({ ...printedExam, finishedAt: null }), usual);
  });

  it('follow the settings of the user before the exam', () => {
    assert.equal(withExam(printedExam, { toolCalls: 'native' }).isPrinted, false);
    assert.equal(withExam(lostCallsExam, { toolCalls: 'prompt' }).isBySchema, false);
    assert.deepEqual(withExam(undefined, { toolCalls: 'schema' }), { ...usual, isPrinted: true, isBySchema: true });
    for (const exam of [printedExam, lostCallsExam, weakPatchExam, failedExam])
      assert.deepEqual(withExam(exam, { usesExam: false }), usual);
  });

  it('are listed where the exam has changed them', () => {
    const changes = (exam: ModelExam, choices: Partial<DefaultChoices> = {}) =>
      examChanges({ capabilities, exam }, { ...auto, ...choices });
    assert.deepEqual(changes(printedExam), ['printed']);
    assert.deepEqual(changes(printedExam, { toolCalls: 'prompt' }), []);
    assert.deepEqual(changes(lostCallsExam), ['schema']);
    assert.deepEqual(changes(weakPatchExam), ['patchLast']);
    assert.deepEqual(changes(inTasks(['load'], { hasRightFiles: false })), ['allTools']);
    assert.deepEqual(changes(failedExam).slice(-2), ['fewTools', 'warning']);
    assert.deepEqual(changes(failedExam, { usesExam: false }), []);
  });
});

describe('an agent whose model has an exam', () => {
  let bench: AgentBench;
  afterEach(() => bench.stop());

  async function start(exam: ModelExam, settings: Record<string, unknown> = {}): Promise<void> {
    const models = [{ name: 'worker', capabilities: ['completion', 'tools'] as const, contextLength: 32_768 }];
    bench = await AgentBench.start({ models, settings });
    const { digest } = await bench.models.get('worker');
    await bench.models.setExam(digest, exam);
  }

  /** Returns the names of the tools in the last request, or null if the prompt describes them instead. */
  async function offered(): Promise<string[] | null> {
    bench.double.script.push('Done. [TASK_COMPLETE]');
    await bench.ask('Do nothing');
    const tools = bench.chats().at(-1)?.['tools'] as { function: { name: string } }[] | undefined;
    return tools?.map((tool) => tool.function.name) ?? null;
  }

  it('gets its tools in the prompt if it makes no native calls', async () => {
    await start(printedExam);
    assert.equal(await offered(), null);
  });

  it('gets its tools as the user has set', async () => {
    await start(printedExam, { 'agent.toolCalls': 'native' });
    assert.ok((await offered())?.includes('read_file'));
  });

  it('gets the edit tool that it cannot use last', async () => {
    await start(weakPatchExam);
    assert.equal((await offered())?.filter((name) => !/^(?:load|call)_tools?$/.test(name)).at(-1), 'apply_patch');
  });

  it('gets no optional tools if it failed, unless the user does not use exams', async () => {
    await start(failedExam);
    const few = (await offered()) ?? [];
    assert.ok(few.includes('replace_in_file') && !few.includes('update_todos'));
    await bench.stop();
    await start(failedExam, { 'agent.useModelExam': false });
    assert.ok((await offered())?.includes('update_todos'));
  });

  it('is asked by a schema at once for a call that it only shows', async () => {
    const shown = 'I would do this:\n```json\n{"name": "list_files", "arguments": {}}\n```';
    await start(lostCallsExam);
    bench.double.script.push(shown, 'Nothing there. [TASK_COMPLETE]');
    bench.double.onRepair(() => '{"name": "list_files", "arguments": {}}');
    const sessionId = await bench.ask('What is here?');
    assert.equal(bench.repairRequests().length, 1);
    assert.match((await bench.seen(sessionId)).join('\n'), /list_files .*\[done\]/);
    await bench.stop();

    await start(examWith({}));
    bench.double.script.push(shown, 'Nothing there. [TASK_COMPLETE]');
    await bench.ask('What is here?');
    assert.equal(bench.repairRequests().length, 0);
  });
});
