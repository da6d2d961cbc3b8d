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

/** Call that cannot be run. */
export interface BrokenCall {
  /** Reason, for the model. */
  problem: string;
  /** Text that the model wrote; null where the server kept it. */
  written: string | null;
}

/** Characters at most of the task, of the last result and of what was written; and of the whole prompt, 1,500 tokens and less. */
const most = { task: 1200, result: 600, written: 1200, whole: 5000 };

/**
 * Asks a model once more for a call that could not be read or does not fit its schema, in a request whose answer can only be a call: `format`
 * is the schema of the tools, and `tools` are never sent with it, since the server then answers empty.
 */
export class CallRepair {
  constructor(
    private readonly client: Pick<ChatClient, 'chat'>,
    private readonly requests: Pick<RequestBuilder, 'build'>,
  ) {}

  /** Resolves with a call that fits; null where the model gives none, or was too long to be shown to it whole: its end would be made up. Rejects with `CancelledError` when the run is stopped. */
  async repair({ run, log, model, tools }: Prompt, broken: BrokenCall): Promise<AskedCall | null> {
    if ((broken.written?.length ?? 0) > most.written) return null;
    const base = await this.requests.build({ mode: run.mode, model, tools: [], entries: [] });
    const options = { ...base.options, temperature: 0 };
    delete options.stop;
    const request: ChatRequest = {
      ...base,
      messages: [{ role: 'user', content: repairPrompt(log.entries, tools, broken) }],
      format: callSchema(tools),
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
      return null;
    }
    return fitting(text, tools, t('asked once more, {0} tokens', tokens));
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

/** Builds a prompt of its own, so that a small model sees nothing but what the call is about. */
function repairPrompt(entries: readonly Entry[], tools: ToolRegistry, { problem, written }: BrokenCall): string {
  const task = entries.findLast(({ type }) => type === 'user_input')?.content ?? '';
  const result = entries.findLast(({ type }) => type === 'tool_result' || type === 'user_input');
  const parts = [
    'Your last call of a tool could not be run. Write that call again as JSON: {"name": …, "arguments": {…}}. Write nothing else.',
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

/** Reads what a model answered: thinking models and MLX do not keep to the schema. */
function fitting(text: string, tools: ToolRegistry, remark: string): AskedCall | null {
  const read = parsed(text.replace(/^[\s\S]*<\/think>/, '').trim()) as { name?: unknown; arguments?: unknown } | null;
  if (typeof read?.name !== 'string' || typeof read.arguments !== 'object' || read.arguments === null) return null;
  const name = tools.resolve(read.name);
  const input = read.arguments as Record<string, unknown>;
  if (name === undefined || tools.get(name)?.prepare(input).isValid !== true) return null;
  return { name, input, repairs: [remark] };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

function cut(text: string, characters: number): string {
  return text.length > characters ? `${text.slice(0, characters)}…` : text;
}
