import assert from 'node:assert/strict';
import { z } from 'zod';
import { ApprovalManager } from '../../../src/agent/approvals/approvalManager';
import { noGuard, type ChangeGuard } from '../../../src/agent/kernel/ports';
import { RunLog } from '../../../src/agent/kernel/runLog';
import { ToolRunner } from '../../../src/agent/loop/toolRunner';
import { defineTool, type Tool, type ToolDefinition } from '../../../src/agent/tools/kernel/tool';
import { ToolRegistry } from '../../../src/agent/tools/kernel/toolRegistry';
import { workspaceTools, type ToolServices } from '../../../src/agent/tools/kernel/workspaceTools';
import { toolFactsSchema, type ToolEffect } from '../../../src/protocol/toolFacts';
import { systemClock } from '../../../src/utils/clock';
import { AgentBench } from './support/agentBench';
import { MemoryLog } from './support/memoryLog';
import { caseLimitMs } from '../../support/until';

const toolOf = (name: string, more: Partial<ToolDefinition<z.ZodObject<{ path: z.ZodString }>>> = {}): Tool =>
  defineTool({
    name,
    description: '',
    schema: z.object({ path: z.string() }),
    effect: 'none',
    label: ({ path }) => path,
    run: async () => Promise.resolve({ status: 'success', content: '' }),
    ...more,
  });
const settings = { getAgentConfig: () => ({ toolTimeout: caseLimitMs }) };

describe('what a tool says of itself', () => {
  it('is in the log with its calls', async () => {
    const bench = await AgentBench.start();
    try {
      bench.double.script.push([{ call: { name: 'list_files', arguments: {} } }], 'Done. [TASK_COMPLETE]');
      const sessionId = await bench.send('Look');
      const { data } = await bench.view.waitFor(sessionId, ({ type }) => type === 'tool_call');
      await bench.over(sessionId);
      assert.ok('facts' in data && data.facts);
      const { family, effect, titles, about } = data.facts;
      assert.deepEqual([family, effect, titles?.done, about?.argument], ['search', 'none', 'Listed {0}', 'path']);
    } finally {
      await bench.stop();
    }
  });

  it('fits the log, and only what has no effect is offered in every mode', () => {
    const registry = workspaceTools({ access: {} } as ToolServices);
    for (const name of registry.names()) {
      const { facts, modes } = registry.get(name) as Tool;
      assert.deepEqual(toolFactsSchema.parse(facts), facts, name);
      assert.ok(modes === 'work' || facts.effect === 'none', name);
    }
  });

  it('has other names, of which one that two have names neither', () => {
    const tools = [toolOf('one', { otherNames: ['first', 'both'] }), toolOf('two', { otherNames: ['both', 'one'] })];
    const registry = new ToolRegistry(tools);
    assert.deepEqual(
      ['first', 'functions.First', 'Both', 'one', 'ONE', 'third'].map((name) => registry.resolve(name)),
      [...['one', 'one', undefined, 'one', 'one', undefined]],
    );
  });

  it('says of a call no more than can be read of it, and nothing of an unknown one', () => {
    const tools = new ToolRegistry([toolOf('one')]);
    const runner = new ToolRunner(tools, new ApprovalManager(), settings, systemClock);
    const facts = { family: 'other', effect: 'none' };
    assert.deepEqual(runner.describe('one', { path: 'a' }, tools), { label: 'a', facts });
    assert.deepEqual(runner.describe('one', {}, tools), { facts });
    assert.deepEqual(runner.describe('one', null, tools), { facts });
    assert.deepEqual(runner.describe('another', {}, tools), {});
  });

  it('decides by its effect whether the workspace is kept before it', async () => {
    const guarded: ToolEffect[] = [];
    const around: ChangeGuard['around'] = (call, work) => {
      guarded.push(call.effect);
      return noGuard.around(call, work);
    };
    const effects = ['none', 'files', 'command', 'outside'] as const;
    const tools = new ToolRegistry(effects.map((effect) => toolOf(effect, { effect })));
    const runner = new ToolRunner(tools, new ApprovalManager(), settings, systemClock, { ...noGuard, around });
    const log = await RunLog.load(new MemoryLog(), 'session', 'm');
    const run = { sessionId: 'session', mode: 'agent' as const, model: 'm', signal: new AbortController().signal };
    const scope = {
      run: { ...run, report: () => undefined, use: () => undefined, setWaiting: async () => undefined },
      log,
      tools,
    };
    const calls = effects.map((name) => ({ callId: name, name, input: { path: 'a' } }));
    await runner.run(calls, { ...scope, again: new Set<never>() }, (_call, result) => result);
    assert.deepEqual(guarded.sort(), ['command', 'files', 'outside']);
  });
});
