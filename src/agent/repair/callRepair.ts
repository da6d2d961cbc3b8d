import type { Entry } from '../../protocol/entries';
import type { ChatRequest, WireTool } from '../../types/ollama';
import { isCancelled } from '../../utils/errors';
import { t } from '../../utils/l10n';
import type { ChatClient } from '../kernel/ports';
import type { Prompt } from '../context/contextFitter';
import { formatType } from '../prompt/printedTools';
import type { RequestBuilder } from '../prompt/requestBuilder';
import type { AskedCall } from '../stream/streamProcessor';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';
import { isRecord, parsedJson } from '../../utils/json';
import { cutHead } from '../../types/cutText';

/** One or more calls of an answer that cannot be run. */
export interface BrokenCall {
  /** Error message for the model. */
  problem: string;
  /** Text that the model wrote, or null if the server did not return it. */
  written: string | null;
  /** Minimum number of calls. The default is 1. An unreadable text may contain more calls. */
  count?: number;
}

/** Maximum length in characters of a call that can be requested again. */
export const maxWritten = 1200;
/** Maximum characters of the task, the last result and the whole prompt. The prompt then has at most 1,500 tokens. */
const most = { task: 1200, result: 600, whole: 5000 };

/**
 * Requests broken calls again. `format` contains the schema of the tools, so that the answer can
 * only be a call. The request has no `tools`, because the server would then return an empty answer.
 */
export class CallRepair {
  constructor(
    private readonly client: Pick<ChatClient, 'chat'>,
    private readonly requests: Pick<RequestBuilder, 'build'>,
  ) {}

  /**
   * Resolves with the repaired calls, or with no calls if a call stays invalid or there are too many. Does not repair a text that
   * is too long for the prompt, because the model would invent the rest. Rejects with `CancelledError` when the run is stopped.
   */
  async repair({ run, log, model, tools }: Prompt, broken: BrokenCall): Promise<AskedCall[]> {
    if ((broken.written?.length ?? 0) > maxWritten) return [];
    const least = broken.count ?? 1;
    const count = Math.max(least, namesIn(broken.written ?? '', tools));
    const base = await this.requests.build({ mode: run.mode, model, tools: [], entries: [] });
    const options = { ...base.options, temperature: 0 };
    delete options.stop;
    const schemas = tools.wireFor(broken.written ?? '');
    const request: ChatRequest = {
      ...base,
      messages: [{ role: 'user', content: repairPrompt(log.entries, tools, broken, count) }],
      format: count > 1 ? listSchema(schemas, least, count) : callSchema(schemas),
      think: false,
      options,
    };
    let text = '';
    let tokens = 0;
    try {
      for await (const chunk of this.client.chat(request, { ...(run.signal && { signal: run.signal }) })) {
        text += chunk.message.content;
        tokens += (chunk.prompt_eval_count ?? 0) + (chunk.eval_count ?? 0);
      }
    } catch (error) {
      if (isCancelled(error)) throw error;
      return [];
    }
    const calls = validCalls(text, tools, t('asked again, {0} tokens', tokens));
    return calls.length > count ? [] : calls;
  }
}

function callSchema(tools: readonly WireTool[]): Record<string, unknown> {
  return {
    oneOf: tools.map(({ function: { name, parameters } }) => ({
      type: 'object',
      properties: { name: { const: name }, arguments: parameters },
      required: ['name', 'arguments'],
      additionalProperties: false,
    })),
  };
}

function listSchema(tools: readonly WireTool[], minItems: number, maxItems: number): Record<string, unknown> {
  return { type: 'array', items: callSchema(tools), minItems, maxItems };
}

/**
 * Counts the tool names before a quote or a bracket. The result is the
 * maximum number of calls, because arguments may contain tool names.
 */
function namesIn(written: string, tools: ToolRegistry): number {
  const names = tools.names().map((name) => name.replaceAll(/[^\w]/g, '\\$&'));
  return [...written.matchAll(new RegExp(`(?<![\\w.-])(?:${names.join('|')})["'(]`, 'g'))].length;
}

/** Builds a separate prompt, so that a small model sees only the data about the call. */
function repairPrompt(entries: readonly Entry[], tools: ToolRegistry, { problem, written }: BrokenCall, count: number): string {
  const task = entries.findLast(({ type }) => type === 'user_input')?.content ?? '';
  const result = entries.findLast(({ type }) => type === 'tool_result' || type === 'user_input');
  const last = entries.at(-1);
  const again =
    count > 1
      ? 'Your last calls of tools could not be run. Write those calls again as a JSON list: [{"name": …, "arguments": {…}}, …].'
      : 'Your last call of a tool could not be run. Write that call again as JSON: {"name": …, "arguments": {…}}.';
  const parts = [
    `${again} Write nothing else.`,
    `What was wrong: ${cut(problem, most.result)}`,
    `Task: ${cut(task, most.task)}`,
    ...(result?.type === 'tool_result' ? [`Last result, of ${result.data.name}: ${cut(result.content, most.result)}`] : []),
    ...(written !== null && written !== '' ? [`You wrote: ${written}`] : []),
    ...(written === null && last?.type === 'assistant_output'
      ? [`Before the call you wrote: ${cut(last.content, most.result)}`]
      : []),
  ];
  let prompt = parts.join('\n\n');
  for (const { function: tool } of tools.wireFor(written ?? '')) {
    const line = `\n- ${tool.name} ${formatType(tool.parameters)}`;
    if (prompt.length + line.length <= most.whole) prompt += line;
  }
  return prompt;
}

/** Parses the calls in an answer. Returns no calls unless all are valid. Thinking models and MLX do not follow the schema. */
function validCalls(text: string, tools: ToolRegistry, remark: string): AskedCall[] {
  const read = parsedJson(text.replace(/^[\s\S]*<\/think>/, '').trim());
  const calls = (Array.isArray(read) ? read : [read]).map((one) => validCall(one, tools, remark));
  return calls.includes(null) ? [] : calls.filter((call) => call !== null);
}

function validCall(read: unknown, tools: ToolRegistry, remark: string): AskedCall | null {
  if (!isRecord(read) || typeof read['name'] !== 'string' || !isRecord(read['arguments'])) return null;
  const name = tools.resolve(read['name']);
  const input = read['arguments'];
  if (name === undefined || tools.get(name)?.prepare(input).isValid !== true) return null;
  return { name, input, repairs: [remark] };
}

function cut(text: string, characters: number): string {
  return text.length > characters ? `${cutHead(text, characters)}…` : text;
}
