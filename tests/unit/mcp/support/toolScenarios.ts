import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { ServerConnection } from '../../../../src/mcp/server/serverConnection';
import type { Scripted } from '../../../support/ollama/doubleReply';
import { AgentBench } from '../../agent/support/agentBench';
import { allowUntilOver } from '../../agent/support/allowUntilOver';
import { comparable } from '../../agent/support/callDialects';
import { dirts } from '../../agent/support/callDirt';
import type { ExampleCall } from '../../agent/support/writeCalls';
import { McpBench } from './mcpBench';

interface AnsweredCall extends ExampleCall {
  /** Result of the tool as JSON. */
  result: string;
}

/** Conversation with tools: the user's messages, the calls in each response, and the model's final text. */
export interface ToolScenario {
  id: string;
  tools: readonly { name: string; description: string; parameters: Record<string, unknown> }[];
  phases: readonly { message: string; turns: readonly (readonly AnsweredCall[])[]; answer: string }[];
}

/** Format in which a model writes its calls. */
export interface CallForm {
  name: string;
  isUntyped: boolean;
  isInAll: boolean;
  write: (calls: readonly ExampleCall[]) => Scripted;
}

const server = 'bench';
const native: CallForm = {
  name: 'as the server sends them',
  isUntyped: false,
  isInAll: false,
  write: (calls) => calls.map(({ name, arguments: given }) => ({ call: { name, arguments: given } })),
};

/**
 * Returns the 97 scenarios of tool-eval-bench if `TOOL_EVAL_BENCH` names their file. Otherwise, returns three scenarios of this project.
 */
export function toolScenarios(): ToolScenario[] {
  const own = path.join(process.cwd(), 'tests', 'unit', 'mcp', 'fixtures', 'toolEvalBench', 'own.jsonl');
  return readFileSync(process.env.TOOL_EVAL_BENCH || own, 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as ToolScenario);
}

/** Returns the correct format and some formats with a mistake. The mistakes differ between scenarios, so that all are used. */
export function formsFor(scenario: number, count: number): CallForm[] {
  const withMistake = Array.from({ length: count }, (_, at) => dirts[(7 * (scenario * count + at)) % dirts.length]);
  return [native, ...withMistake.filter((form) => form !== undefined)];
}

/** Agent with an in-process MCP server that has the tools of a scenario. */
export class ScenarioBench {
  private scenario: ToolScenario = { id: '', tools: [], phases: [] };
  private readonly arrived: ExampleCall[] = [];

  private constructor(
    private readonly bench: AgentBench,
    private readonly mcp: McpBench,
  ) {}

  static async start(): Promise<ScenarioBench> {
    const mcp: McpBench = new McpBench({}, new Map(), async () => Promise.resolve(made.connection()));
    const bench = await AgentBench.start({
      toolSources: [mcp.servers],
      models: [{ name: 'worker', capabilities: ['completion', 'tools'], contextLength: 262_144 }],
      settings: { 'agent.maxIterations': 100 },
    });
    const made = new ScenarioBench(bench, mcp);
    return made;
  }

  async stop(): Promise<void> {
    await this.mcp.servers.dispose();
    await this.bench.stop();
  }

  /**
   * Runs a scenario with a model that writes each call in one format. Throws if a call does not arrive or if anything unexpected happens.
   */
  async play(scenario: ToolScenario, form: CallForm): Promise<void> {
    const { bench } = this;
    this.scenario = scenario;
    // A changed configuration restarts the server with other tools.
    this.mcp.configured = { [server]: { command: 'program', args: [JSON.stringify(scenario.tools)] } };
    bench.double.script.length = bench.double.requests.length = this.arrived.length = 0;
    let sessionId: string | null = null;
    let behind = 0;
    for (const { message, turns, answer } of scenario.phases) {
      const before = this.arrived.length;
      const asked = bench.chats().length;
      bench.double.onRepair(({ body }) => this.repaired(turns, before, form, body));
      bench.double.script.push(...turns.map((calls) => form.write(calls.map(offered))), answer);
      sessionId = await bench.send(message, { sessionId });
      await allowUntilOver(bench, sessionId, behind);
      const expected = turns.flat().map(({ name, arguments: given }) => ({ name, arguments: given }));
      assert.deepEqual(comparable(this.arrived.slice(before), form), comparable(expected, form));
      const { entries } = await bench.database.log.read(sessionId, 0);
      behind = entries.at(-1)?.seq ?? 0;
      const end = entries.findLast(({ type }) => type === 'run_end');
      const said = entries.findLast(({ type }) => type === 'assistant_output');
      assert.deepEqual(
        [end?.type === 'run_end' && end.data.outcome, said?.content, bench.chats().length - asked],
        ['done', answer, turns.length + 1],
      );
      const last = JSON.stringify((bench.chats().at(-1)?.['messages'] as { content: string }[]).map(({ content }) => content));
      for (const { result } of turns.flat()) assert.ok(last.includes(JSON.stringify(result).slice(1, -1)), result);
    }
  }

  /** Rewrites the unreadable calls of the current turn in the structure that `format` enforces. */
  private repaired(
    turns: ToolScenario['phases'][0]['turns'],
    before: number,
    form: CallForm,
    body: Record<string, unknown>,
  ): string {
    let left = this.arrived.length - before;
    const turn = turns.find(({ length }) => (left -= length) < 0) ?? [];
    const broken = (form.isInAll ? turn : turn.slice(-1)).map(offered);
    const { maxItems } = body['format'] as { maxItems?: number };
    return JSON.stringify(maxItems === undefined ? broken[0] : broken.slice(0, maxItems));
  }

  private connection(): ServerConnection {
    const { tools } = this.scenario;
    return {
      protocol: '2025-06-18',
      pid: null,
      tools: async () =>
        Promise.resolve({
          entries: tools.map(({ name, description, parameters }) => ({
            name,
            title: '',
            description,
            inputSchema: parameters,
            claims: { readOnly: false, destructive: null, idempotent: false, openWorld: null },
          })),
          incomplete: null,
        }),
      prompts: async () => Promise.resolve({ entries: [], incomplete: null }),
      prompt: async () => Promise.resolve(''),
      call: async (name, input) => {
        const { result } = this.scenario.phases.flatMap(({ turns }) => turns.flat())[this.arrived.length] ?? { result: '{}' };
        this.arrived.push({ name, arguments: input });
        return Promise.resolve({ isError: result.startsWith('{"error"'), parts: [{ kind: 'text', text: result }] });
      },
      close: async () => Promise.resolve(),
    };
  }
}

/** Returns a call with the tool name that the model sees. */
function offered({ name, arguments: given }: ExampleCall): ExampleCall {
  return { name: `${server}__${name}`, arguments: given };
}
