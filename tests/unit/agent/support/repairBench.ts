import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import { AnswerRequester, type Work } from '../../../../src/agent/loop/answerRequester';
import { LoopGuard } from '../../../../src/agent/loop/loopGuard';
import { RunLog } from '../../../../src/agent/kernel/runLog';
import { CallRepair, maxWritten } from '../../../../src/agent/repair/callRepair';
import { StreamProcessor } from '../../../../src/agent/stream/streamProcessor';
import { ToolRegistry } from '../../../../src/agent/tools/kernel/toolRegistry';
import { Settings } from '../../../../src/config/settings';
import { externalTool } from '../../../../src/mcp/tools/externalTool';
import type { ChatChunk } from '../../../../src/types/ollama';
import type { ModelInfo } from '../../../../src/types/model';
import { systemClock } from '../../../../src/utils/clock';
import { MemoryLog } from './memoryLog';
import { comparable } from './callDialects';
import type { Dirt } from './callDirt';
import type { ExampleCall } from './writeCalls';

/**
 * Fate of the calls in one answer. `read`: all run as intended. `repaired`: they run after a request with `format`. `again`: they run after
 * a hint that they were only shown. `tooLong`: a call is too long for a repair, so the model gets an error. `lost`: anything else.
 */
export type Fate = 'read' | 'repaired' | 'again' | 'tooLong' | 'lost';

const model: ModelInfo = {
  name: 'worker',
  digest: '',
  size: 0,
  family: null,
  parameterSize: null,
  quantization: null,
  capabilities: { chat: true, fim: false, tools: true, vision: false, thinking: false, embedding: false },
  contextLength: null,
  stop: [],
  enabled: true,
};
const settings = new Settings({ get: () => undefined }, ({ problem }) => assert.fail(problem));
const chunk = (content: string, done = false): ChatChunk => ({
  model: model.name,
  created_at: '',
  message: { role: 'assistant', content },
  done,
  ...(done && { done_reason: 'stop' }),
});

/** Returns tools that accept these calls, with the types of their values. */
export function toolsFor(calls: readonly ExampleCall[]): ToolRegistry {
  const names = [...new Set(calls.map(({ name }) => name))];
  return new ToolRegistry(
    names.map((name) => {
      const all = calls.filter((call) => call.name === name).map((call) => call.arguments);
      const properties = Object.fromEntries(
        all.flatMap((given) => Object.entries(given).map(([key, value]) => [key, schemaOf(value)])),
      );
      const required = Object.keys(properties).filter((key) => all.every((given) => given[key] !== undefined));
      const schema = { type: 'object', properties, required };
      const never = async () => Promise.reject(new Error('Never called'));
      return externalTool({
        name,
        description: name,
        schema,
        effect: 'outside',
        question: () => ({ kind: 'tool' }),
        call: never,
      });
    }),
  );
}

function schemaOf(value: unknown): Record<string, unknown> {
  if (value === null) return {};
  return { type: Array.isArray(value) ? 'array' : typeof value };
}

/** Runs these calls with one mistake. Answers the repair request as `format` enforces. */
export async function fateOf(calls: readonly ExampleCall[], dirt: Dirt): Promise<{ fate: Fate; details: string }> {
  const tools = toolsFor(calls);
  const log = await RunLog.load(new MemoryLog(), 'session', model.name);
  await log.append({ type: 'user_input', content: 'Do it', data: { mode: 'agent', attachments: [] } });
  const written = dirt.write(calls);
  let asked = 0;
  let repairs = 0;
  const repair = new CallRepair(
    {
      async *chat({ format }) {
        repairs += 1;
        const broken = dirt.isInAll ? calls : calls.slice(-1);
        const { maxItems } = format as { maxItems?: number };
        yield chunk(JSON.stringify(maxItems === undefined ? broken[0] : broken.slice(0, maxItems)), true);
      },
    },
    {
      build: async () => ({
        model: model.name,
        messages: [],
        options: { num_ctx: 8192 },
        keep_alive: 0,
        truncate: false,
        shift: false,
      }),
    },
  );
  const requester = new AnswerRequester(
    {
      ask: async (_, onCall) => {
        asked += 1;
        const processor = new StreamProcessor(log, systemClock, onCall, {
          completionMark: null,
          contextWindow: 8192,
          fixedCharacters: 0,
          limit: null,
          onPreparing: () => undefined,
          isTool: (name) => tools.resolve(name) !== undefined,
          riskOf: () => 'reads',
          accepts: ({ name, input }) => tools.get(tools.resolve(name) ?? name)?.prepare(input).isValid === true,
        });
        const answer = asked === 1 ? written : calls.map((call) => `<tool_call>${JSON.stringify(call)}</tool_call>`).join('\n');
        for (let at = 0; at < answer.length; at += 97) await processor.accept(chunk(answer.slice(at, at + 97)));
        await processor.accept(chunk('', true));
        return processor.finish('complete');
      },
      makeRoom: async () => false,
      repairCalls: (prompt, broken) => repair.repair(prompt, broken),
    },
    { describe: () => ({}), skip: async () => undefined },
    { settings, clock: systemClock },
  );
  const run = { sessionId: 'session', mode: 'agent', model: model.name, signal: new AbortController().signal } as const;
  const work: Work = {
    run: { ...run, use: () => undefined, report: () => undefined, setWaiting: async () => undefined },
    log,
    model,
    tools,
    guard: new LoopGuard(),
    challenge: { isMade: false },
  };
  const { calls: made } = await requester.ask(work);
  const ready = made.map(({ name, input, problem }) => {
    const prepared = problem === undefined ? tools.get(name)?.prepare(input) : undefined;
    return prepared?.isValid === true ? { name, arguments: prepared.input } : null;
  });
  const [seen, meant] = [ready.filter((call) => call !== null), calls].map((list) => comparable(list, dirt));
  const details = `${written}\n→ ${JSON.stringify(made)}`;
  if (isDeepStrictEqual(seen, meant)) return { fate: asked > 1 ? 'again' : repairs > 0 ? 'repaired' : 'read', details };
  const isTooLong = written.length > maxWritten && ready.includes(null);
  return { fate: isTooLong && isPart(ready, calls, dirt) ? 'tooLong' : 'lost', details };
}

/** Tells whether all calls that run were intended. */
function isPart(ready: readonly (ExampleCall | null)[], calls: readonly ExampleCall[], dirt: Dirt): boolean {
  return ready.every(
    (call) => call === null || calls.some((one) => isDeepStrictEqual(comparable([call], dirt), comparable([one], dirt))),
  );
}
