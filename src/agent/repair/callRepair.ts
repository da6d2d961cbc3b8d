import type { Entry } from '../../protocol/entries';
import type { ChatRequest } from '../../types/ollama';
import { isCancelled } from '../../utils/errors';
import { t } from '../../utils/l10n';
import type { ChatClient } from '../kernel/ports';
import type { Prompt } from '../context/contextFitter';
import { typeOf } from '../prompt/printedTools';
import type { RequestBuilder } from '../prompt/requestBuilder';
import type { AskedCall } from '../stream/streamProcessor';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';
import { isRecord, parsedJson } from '../../utils/json';

/** Call, or several of one answer, that cannot be run. */
export interface BrokenCall {
  /** Reason, for the model. */
  problem: string;
  /** Text that the model wrote; null where the server kept it. */
  written: string | null;
  /** Number of calls at least; a text that cannot be read may hold more. Default 1. */
  count?: number;
}

/** Most characters of a call that can be asked for once more. */
export const mostWritten = 1200;
/** Most characters of the task and of the last result; and of the whole prompt, which then has at most 1,500 tokens. */
const most = { task: 1200, result: 600, whole: 5000 };

/**
 * Asks a model once more for a call that could not be read or does not fit its schema, in a request whose answer can only be a call: `format`
 * is the schema of the tools. `tools` are never sent with it, since the server then answers empty.
 */
export class CallRepair {
  constructor(
    private readonly client: Pick<ChatClient, 'chat'>,
    private readonly requests: Pick<RequestBuilder, 'build'>,
  ) {}

  /**
   * Resolves with the calls that the model meant. Empty if they do not all fit or are too many, and for a text that is too long to be shown to the
   * model whole, since the model would make up the rest. Rejects with `CancelledError` when the run is stopped.
   */
  async repair({ run, log, model, tools }: Prompt, broken: BrokenCall): Promise<AskedCall[]> {
    if ((broken.written?.length ?? 0) > mostWritten) return [];
    const least = broken.count ?? 1;
    const count = Math.max(least, namesIn(broken.written ?? '', tools));
    const base = await this.requests.build({ mode: run.mode, model, tools: [], entries: [] });
    const options = { ...base.options, temperature: 0 };
    delete options.stop;
    const request: ChatRequest = {
      ...base,
      messages: [{ role: 'user', content: repairPrompt(log.entries, tools, broken, count) }],
      format: count > 1 ? listSchema(tools, least, count) : callSchema(tools),
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
    const calls = validCalls(text, tools, t('asked once more, {0} tokens', tokens));
    return calls.length > count ? [] : calls;
  }
}

/** Builds the schema of one call of one of the tools. */
function callSchema(tools: ToolRegistry): Record<string, unknown> {
  return {
    oneOf: tools.wire().map(({ function: { name, parameters } }) => ({
      type: 'object',
      properties: { name: { const: name }, arguments: parameters },
      required: ['name', 'arguments'],
      additionalProperties: false,
    })),
  };
}

/** Builds the schema of a list of calls. */
function listSchema(tools: ToolRegistry, minItems: number, maxItems: number): Record<string, unknown> {
  return { type: 'array', items: callSchema(tools), minItems, maxItems };
}

/** Counts the names of tools before a quote or bracket: as many calls at most, since an argument may hold such a name too. */
function namesIn(written: string, tools: ToolRegistry): number {
  const names = tools.names().map((name) => name.replaceAll(/[^\w]/g, '\\$&'));
  return [...written.matchAll(new RegExp(`(?<![\\w.-])(?:${names.join('|')})["'(]`, 'g'))].length;
}

/** Builds a separate prompt, so that a small model sees nothing but what the call is about. */
function repairPrompt(entries: readonly Entry[], tools: ToolRegistry, { problem, written }: BrokenCall, count: number): string {
  const task = entries.findLast(({ type }) => type === 'user_input')?.content ?? '';
  const result = entries.findLast(({ type }) => type === 'tool_result' || type === 'user_input');
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
  ];
  let prompt = parts.join('\n\n');
  for (const { function: tool } of tools.wire()) {
    const line = `\n- ${tool.name} ${typeOf(tool.parameters)}`;
    if (prompt.length + line.length <= most.whole) prompt += line;
  }
  return prompt;
}

/** Reads the calls in an answer; empty unless all of them fit. Thinking models and MLX do not keep to the schema. */
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
  return text.length > characters ? `${text.slice(0, characters)}…` : text;
}
