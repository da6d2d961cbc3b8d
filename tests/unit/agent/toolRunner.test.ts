import assert from 'node:assert/strict';
import { z } from 'zod';
import { deferred } from '../../../src/agent/kernel/deferred';
import { ApprovalManager } from '../../../src/agent/approvals/approvalManager';
import { AgentError } from '../../../src/agent/kernel/agentError';
import type { EndReason, Run } from '../../../src/agent/kernel/run';
import { RunLog } from '../../../src/agent/kernel/runLog';
import { defineTool, type ToolContext, type ToolDefinition, type ToolResult } from '../../../src/agent/tools/kernel/tool';
import { ToolRegistry } from '../../../src/agent/tools/kernel/toolRegistry';
import { ToolRunner } from '../../../src/agent/loop/toolRunner';
import { FileError } from '../../../src/services/files/fileError';
import { CancelledError } from '../../../src/utils/errors';
import { systemClock, type Clock } from '../../../src/utils/clock';
import { ManualClock } from '../database/support/manualClock';
import { MemoryLog } from './support/memoryLog';
import { caseLimitMs } from '../../support/until';

const looks = { effect: 'none', modes: 'every' } as const;

const timeUp = 'The tool took longer than 0.02 s. You can raise the tool time limit in the settings.';

describe('tool runner', () => {
  let log: MemoryLog;
  let stopping: AbortController;
  let waits: boolean[];
  let approvals: ApprovalManager;
  beforeEach(() => {
    log = new MemoryLog();
    stopping = new AbortController();
    waits = [];
    approvals = new ApprovalManager();
  });

  async function run(
    work: (context: ToolContext) => Promise<ToolResult>,
    options: {
      toolTimeout?: number;
      isTimed?: boolean;
      input?: Record<string, unknown>;
      name?: string;
      clock?: Clock;
      endReason?: EndReason;
    } = {},
  ): Promise<ToolResult> {
    const { toolTimeout = caseLimitMs, isTimed = true, input = {}, name = 'probe', clock = systemClock, endReason } = options;
    const tool = defineTool({
      name: 'probe',
      description: '',
      schema: z.object({ path: z.string().optional() }),
      effect: 'files',
      isTimed,
      label: () => undefined,
      run: (_input, context) => work(context),
    });
    const settings = {
      getAgentConfig: () => ({
        maxIterations: 1,
        toolTimeout,
        maxActiveSessions: 1,
        maxContextWindow: 1,
        sensitiveFilePatterns: {},
        keepAlive: 1,
      }),
    };
    const tools = new ToolRegistry([tool]);
    const runner = new ToolRunner(tools, approvals, settings, clock);
    const task: Run = {
      sessionId: 'session',
      mode: 'agent',
      model: 'm',
      signal: stopping.signal,
      ...(endReason && { endReason }),
      report: () => undefined,
      use: () => undefined,
      setWaiting: async (isWaiting) => void waits.push(isWaiting),
    };
    const results: ToolResult[] = [];
    const scope = { run: task, log: await RunLog.load(log, 'session', 'm'), tools, again: new Set<never>() };
    await runner.run([{ callId: '1', name, input }], scope, (_call, result) => {
      results.push(result);
      return result;
    });
    return results[0] as ToolResult;
  }

  const never = (): Promise<ToolResult> => new Promise(() => undefined);
  const fine: ToolResult = { status: 'success', content: 'fine' };

  it('every result is in the log', async () => {
    await run(async () => ({ ...fine, summary: 's' }));
    assert.deepEqual(
      log.entries.map(({ type, content, data }) => ({ type, content, data: { ...data, durationMs: undefined } })),
      [
        {
          type: 'tool_result',
          content: 'fine',
          data: { callId: '1', name: 'probe', status: 'success', summary: 's', durationMs: undefined },
        },
      ],
    );
  });

  it('an exception is a result that the model can use', async () => {
    const failure = await run(() => Promise.reject(new Error('disk on fire')));
    assert.deepEqual(failure, {
      status: 'error',
      content: 'probe failed: disk on fire',
      summary: 'unexpected error',
      display: 'disk on fire',
    });
  });

  it('an expected failure has a reason for the model and another one for the user', async () => {
    const words = { local: 'a.txt ist schreibgeschützt.', english: 'a.txt is read-only. Tell the user.' };
    assert.deepEqual(await run(() => Promise.reject(new FileError('readOnly', words))), {
      status: 'error',
      content: 'probe failed: a.txt is read-only. Tell the user.',
      summary: 'a.txt ist schreibgeschützt.',
      display: 'a.txt ist schreibgeschützt.',
    });
  });

  it('an unknown tool is answered with the tools that there are', async () => {
    assert.deepEqual(await run(never, { name: 'fly' }), {
      status: 'error',
      content: 'There is no tool named "fly". The tools are: probe.',
      summary: 'unknown tool',
      display: 'unknown tool',
    });
  });

  it('wrong arguments are answered with what is wrong', async () => {
    const problem = 'probe was not run: "path" must be a string, but it is an object. Expected arguments: {path?: string}.';
    assert.deepEqual(await run(never, { input: { path: {} } }), {
      status: 'error',
      content: problem,
      summary: 'invalid arguments',
      display: problem,
    });
  });

  it('a tool knows which others the model has', async () => {
    const known: boolean[] = [];
    await run(async ({ offers }) => {
      known.push(offers('probe'), offers('fly'));
      return fine;
    });
    assert.deepEqual(known, [true, false]);
  });

  it('a tool that takes too long is told to stop and left behind', async () => {
    let isTold = false;
    const result = await run(
      ({ signal }) => {
        signal.addEventListener('abort', () => (isTold = true));
        return never();
      },
      { toolTimeout: 20 },
    );
    assert.deepEqual(
      [result, isTold],
      [{ status: 'error', content: 'Stopped: it took longer than 0.02 s.', summary: timeUp, display: timeUp }, true],
    );
  });

  it('what was ignored is said of a call that failed as well', async () => {
    const input = { path: 'a', colour: 'red' };
    assert.deepEqual(await run(() => Promise.reject(new Error('disk on fire')), { input }), {
      status: 'error',
      content: 'probe failed: disk on fire',
      summary: 'unexpected error (ignored: colour)',
      display: 'disk on fire',
    });
    assert.equal((await run(async () => ({ ...fine, summary: 's' }), { input })).summary, 's (ignored: colour)');
  });

  describe('a file that is being written', () => {
    /** Returns a clock on which only `waits` end at once: the time limit, the grace period after Stop, or the limit for a write. */
    const clockWithout = (...waits: number[]): Clock => ({
      now: () => 0,
      sleep: (ms, signal) => (waits.includes(ms) ? Promise.resolve() : systemClock.sleep(caseLimitMs, signal)),
    });
    const aborted = (signal: AbortSignal): Promise<void> =>
      new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener('abort', () => resolve(), { once: true })));
    /** Begins a write that is still running when all other work after Stop is done. */
    const writing = async ({ beginWriting, signal }: ToolContext): Promise<ToolResult> => {
      beginWriting();
      await aborted(signal);
      await systemClock.sleep(30);
      return fine;
    };

    it('is waited for when the time is up', async () => {
      assert.deepEqual(await run(writing, { toolTimeout: 20, clock: clockWithout(20) }), fine);
    });

    it('is waited for after Stop', async () => {
      const work = (context: ToolContext) => (queueMicrotask(() => stopping.abort()), writing(context));
      assert.deepEqual(await run(work, { clock: clockWithout(500) }), fine);
    });

    it('is told to be in doubt when that takes too long, or is given up', async () => {
      const inDoubt: ToolResult = {
        status: 'error',
        content: 'Stopped while the file was being written, so it may have been changed or not. Read it before you go on.',
        summary: 'may have been written',
        display: 'may have been written',
      };
      const stuck = ({ beginWriting }: ToolContext) => (beginWriting(), never());
      assert.deepEqual(await run(stuck, { toolTimeout: 20, clock: clockWithout(20, 60_000) }), inDoubt);
      const givenUp = async (context: ToolContext) => {
        await writing(context);
        throw new CancelledError();
      };
      assert.deepEqual(await run(givenUp, { toolTimeout: 20, clock: clockWithout(20) }), inDoubt);
      const stop = (context: ToolContext) => (queueMicrotask(() => stopping.abort()), stuck(context));
      assert.deepEqual(await run(stop, { clock: clockWithout(500, 3000) }), inDoubt);
    });

    it('is not begun any more once the call is over', async () => {
      let hasBegun = false;
      const late = async ({ beginWriting, signal }: ToolContext): Promise<ToolResult> => {
        await aborted(signal);
        beginWriting();
        hasBegun = true;
        return fine;
      };
      const { summary } = await run(late, { toolTimeout: 20, clock: clockWithout(20) });
      assert.deepEqual([summary, hasBegun], [timeUp, false]);
    });
  });

  it('a tool without a limit has all the time it needs', async () => {
    const slow = (): Promise<ToolResult> => systemClock.sleep(30).then(() => fine);
    assert.deepEqual(await run(slow, { toolTimeout: 10, isTimed: false }), fine);
  });

  it('Stop ends a tool that does not listen within a second', async () => {
    const clock = new ManualClock(0);
    let result: ToolResult | undefined;
    void run(never, { clock, toolTimeout: 600_000 }).then((told) => (result = told));
    await clock.advance(5000);
    stopping.abort();
    await clock.advance(1000);
    assert.deepEqual(result, { status: 'cancelled', content: 'Stopped by the user before it was finished.' });
  });

  it('what a tool finished while it was being stopped is told as it is', async () => {
    const work = ({ signal }: ToolContext): Promise<ToolResult> =>
      new Promise((resolve) => signal.addEventListener('abort', () => setTimeout(() => resolve(fine), 10)));
    setTimeout(() => stopping.abort(), 10);
    assert.deepEqual(await run(work), fine);
  });

  it('the time for a person to decide does not count', async () => {
    const clock = new ManualClock();
    const deciding = log.next('approval').then(async (entry) => {
      await clock.advance(50);
      await approvals.decide('session', entry.type === 'approval' ? entry.data.approvalId : '', true);
    });
    const work = async ({ approve }: ToolContext): Promise<ToolResult> =>
      (await approve({ kind: 'edit', path: 'a' })) ? fine : { status: 'denied', content: '' };
    assert.deepEqual(await run(work, { toolTimeout: 25, clock }), fine);
    await deciding;
    assert.deepEqual(waits, [true, false]);
    const phases = log.entries.flatMap((entry) =>
      entry.type === 'approval' ? [[entry.data.phase, entry.data.decision, entry.data.decidedBy]] : [],
    );
    assert.deepEqual(phases, [
      ['requested', undefined, undefined],
      ['decided', 'approved', 'person'],
    ]);
  });

  it('the time for a person to decide is not told as the time of the call', async () => {
    const clock = new ManualClock();
    const deciding = log.next('approval').then(async (entry) => {
      clock.set(clock.now() + 60_000);
      await approvals.decide('session', entry.type === 'approval' ? entry.data.approvalId : '', true);
    });
    const work = async ({ approve }: ToolContext): Promise<ToolResult> => {
      await approve({ kind: 'edit', path: 'a' });
      clock.set(clock.now() + 7);
      return fine;
    };
    await run(work, { clock });
    await deciding;
    assert.deepEqual(
      log.entries.flatMap((entry) => (entry.type === 'tool_result' ? entry.data.durationMs : [])),
      [7],
    );
  });

  it('a question counts once, and only from its own session', async () => {
    let refusals: unknown[] = [];
    const deciding = log.next('approval').then(async (entry) => {
      const id = entry.type === 'approval' ? entry.data.approvalId : '';
      const codeOf = (error: unknown): unknown => (error instanceof AgentError ? error.code : error);
      const foreign = await approvals.decide('other', id, true).catch(codeOf);
      const decided = approvals.decide('session', id, false);
      await decided;
      refusals = [foreign, await approvals.decide('session', id, true).catch(codeOf)];
    });
    const result = await run(async ({ approve }) => ({
      status: (await approve({ kind: 'command' })) ? 'success' : 'denied',
      content: '',
    }));
    await deciding;
    assert.deepEqual([result.status, refusals], ['denied', ['approvalGone', 'approvalGone']]);
  });

  it('Stop while a person is asked settles the question', async () => {
    void log.next('approval').then(() => stopping.abort());
    const result = await run(async ({ approve }) => {
      await approve({ kind: 'command' });
      return fine;
    });
    assert.equal(result.status, 'cancelled');
    const last = log.entries.findLast((entry) => entry.type === 'approval');
    assert.deepEqual(last?.type === 'approval' && [last.data.decision, last.data.decidedBy], ['cancelled', 'run']);
  });

  it('a command that waits for approval when the window closes was not run', async () => {
    const ask = async ({ approve }: ToolContext) => (await approve({ kind: 'command' }), fine);
    const ends = [
      ['interrupted', { content: 'Not run: the window closed.', summary: 'the window closed' }],
      ['stopped', { content: 'Not run: the user stopped the run before it began.' }],
    ] as const;
    for (const [endReason, said] of ends) {
      stopping = new AbortController();
      void log.next('approval').then(() => stopping.abort());
      const result = await run(ask, { endReason });
      assert.deepEqual(result, { status: 'cancelled', ...said, details: { notRun: true } });
    }
  });

  it('a log that cannot be written is no result but the end of the run', async () => {
    const broken = new Error('disk full');
    const work = async ({ recordEdit }: ToolContext): Promise<ToolResult> => {
      log.failure = broken;
      await recordEdit({
        path: 'a',
        operation: 'create',
        diff: '',
        beforeHash: null,
        afterHash: null,
        additions: 0,
        deletions: 0,
      });
      return fine;
    };
    await assert.rejects(run(work), broken);
  });

  it('a run that is over runs nothing more', async () => {
    stopping.abort(new CancelledError());
    const { content, details } = await run(() => Promise.reject(new Error('ran')));
    assert.deepEqual([content, details], ['Not run: the user stopped the run before it began.', { notRun: true }]);
  });

  it('calls that only read run side by side, and their results keep the order of the calls', async () => {
    const begun: string[] = [];
    const allBegun = deferred<void>();
    const reader = (name: string, kind: Pick<ToolDefinition<z.ZodObject>, 'effect' | 'modes'>) =>
      defineTool({
        name,
        description: '',
        schema: z.object({}),
        ...kind,
        label: () => undefined,
        run: async () => {
          begun.push(name);
          if (begun.length === 2) allBegun.resolve();
          await allBegun.promise;
          return { status: 'success', content: name };
        },
      });
    const tools = new ToolRegistry([reader('slow', looks), reader('quick', looks), reader('writer', { effect: 'files' })]);
    const settings = {
      getAgentConfig: () => ({
        maxIterations: 1,
        toolTimeout: caseLimitMs,
        maxActiveSessions: 1,
        maxContextWindow: 1,
        sensitiveFilePatterns: {},
        keepAlive: 1,
      }),
    };
    const runner = new ToolRunner(tools, approvals, settings, systemClock);
    const calls = ['slow', 'quick', 'writer', 'writer', 'slow', 'fly'].map((name, index) => ({
      callId: `${index}`,
      name,
      input: {},
    }));
    const groups = runner.groups(calls, tools);
    assert.deepEqual(
      groups.map((group) => group.map(({ name }) => name)),
      [['slow', 'quick'], ['writer'], ['writer'], ['slow'], ['fly']],
    );
    const task: Run = {
      sessionId: 'session',
      mode: 'agent',
      model: 'm',
      signal: stopping.signal,
      report: () => undefined,
      use: () => undefined,
      setWaiting: async () => undefined,
    };
    const scope = { run: task, log: await RunLog.load(log, 'session', 'm'), tools, again: new Set<never>() };
    await runner.run(groups[0] ?? [], scope, (_call, result) => result);
    assert.deepEqual(
      log.entries.map(({ content }) => content),
      ['slow', 'quick'],
    );
  });

  it('calls that run side by side ask one question at a time', async () => {
    const asking = defineTool({
      name: 'asking',
      description: '',
      schema: z.object({}),
      ...looks,
      label: () => undefined,
      run: async (_input, { approve }) => ({ status: 'success', content: String(await approve({ kind: 'read', path: 'x' })) }),
    });
    const tools = new ToolRegistry([asking]);
    const settings = {
      getAgentConfig: () => ({
        maxIterations: 1,
        toolTimeout: caseLimitMs,
        maxActiveSessions: 1,
        maxContextWindow: 1,
        sensitiveFilePatterns: {},
        keepAlive: 1,
      }),
    };
    const task: Run = {
      sessionId: 'session',
      mode: 'agent',
      model: 'm',
      signal: stopping.signal,
      report: () => undefined,
      use: () => undefined,
      setWaiting: async () => undefined,
    };
    const scope = { run: task, log: await RunLog.load(log, 'session', 'm'), tools, again: new Set<never>() };
    const calls = ['1', '2'].map((callId) => ({ callId, name: 'asking', input: {} }));
    const running = new ToolRunner(tools, approvals, settings, systemClock).run(calls, scope, (_call, result) => result);
    for (const isApproved of [true, false]) {
      const { data } = await log.next('approval');
      assert.ok('approvalId' in data);
      await approvals.decide('session', data.approvalId, isApproved);
    }
    await running;
    const phases = log.entries.flatMap(({ type, data }) => (type === 'approval' ? [`${data.callId} ${data.phase}`] : []));
    assert.deepEqual(phases, ['1 requested', '1 decided', '2 requested', '2 decided']);
  });
});
