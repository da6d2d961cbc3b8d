import { familyDialects } from './familyDialects';
import { json, listOf, parameters, type Dialect, type ExampleCall } from './writeCalls';

/** Normalizes calls for comparison. */
export function comparable(calls: readonly ExampleCall[], { isUntyped = false }: Pick<Dialect, 'isUntyped'>): unknown {
  if (!isUntyped) return calls;
  const text = (value: unknown): string => (typeof value === 'string' ? value.trim() : JSON.stringify(value));
  return calls.map(({ name, arguments: given }) => ({
    name,
    arguments: Object.fromEntries(Object.entries(given).map(([key, value]) => [key, text(value)])),
  }));
}

/** Forms of calls as text, by model family. */
export const dialects: readonly Dialect[] = [
  { name: 'Hermes and Qwen', write: (calls) => calls.map((call) => `<tool_call>\n${json(call)}\n</tool_call>`).join('\n') },
  { name: 'a list in one pair of tags', write: (calls) => `<tool_call>${listOf(calls)}</tool_call>` },
  {
    name: 'arguments as a text',
    write: (calls) =>
      calls
        .map(
          ({ name, arguments: given }) => `<tool_call>${JSON.stringify({ name, arguments: JSON.stringify(given) })}</tool_call>`,
        )
        .join('\n'),
  },
  {
    name: 'Qwen Coder',
    isUntyped: true,
    write: (calls) =>
      calls
        .map(
          (call) =>
            `<tool_call>\n<function=${call.name}>\n${parameters(call, (key, value) => `<parameter=${key}>\n${value}\n</parameter>`)}\n</function>\n</tool_call>`,
        )
        .join('\n'),
  },
  { name: 'tags of Qwen Coder', write: (calls) => `<tools>\n${calls.map((call) => json(call)).join('\n')}\n</tools>` },
  {
    name: 'Llama',
    kind: 'token',
    write: (calls) => `<|python_tag|>${calls.map((call) => json(call, 'parameters')).join('; ')}<|eom_id|>`,
  },
  {
    name: 'Llama with functions',
    write: (calls) =>
      calls.map(({ name, arguments: given }) => `<function=${name}>${JSON.stringify(given)}</function>`).join('\n'),
  },
  { name: 'Mistral', kind: 'token', write: (calls) => `[TOOL_CALLS]${listOf(calls)}</s>` },
  {
    name: 'newer Mistral',
    kind: 'token',
    write: (calls) => calls.map(({ name, arguments: given }) => `[TOOL_CALLS]${name}[ARGS]${JSON.stringify(given)}`).join(''),
  },
  { name: 'Granite', kind: 'token', write: (calls) => `<|tool_call|>${listOf(calls)}` },
  {
    name: 'DeepSeek',
    kind: 'token',
    write: (calls) =>
      `<｜tool▁calls▁begin｜>${calls
        .map(
          ({ name, arguments: given }) =>
            `<｜tool▁call▁begin｜>function<｜tool▁sep｜>${name}\n\`\`\`json\n${JSON.stringify(given)}\n\`\`\`<｜tool▁call▁end｜>`,
        )
        .join('\n')}<｜tool▁calls▁end｜>`,
  },
  {
    name: 'newer DeepSeek',
    kind: 'token',
    write: (calls) =>
      `<｜tool▁calls▁begin｜>${calls
        .map(
          ({ name, arguments: given }) => `<｜tool▁call▁begin｜>${name}<｜tool▁sep｜>${JSON.stringify(given)}<｜tool▁call▁end｜>`,
        )
        .join('')}<｜tool▁calls▁end｜>`,
  },
  {
    name: 'invoke',
    isUntyped: true,
    write: (calls) =>
      `<function_calls>\n${calls
        .map(
          (call) =>
            `<invoke name="${call.name}">\n${parameters(call, (key, value) => `<parameter name="${key}">${value}</parameter>`)}\n</invoke>`,
        )
        .join('\n')}\n</function_calls>`,
  },
  {
    name: 'GLM',
    isUntyped: true,
    write: (calls) =>
      calls
        .map(
          (call) =>
            `<tool_call>${call.name}\n${parameters(call, (key, value) => `<arg_key>${key}</arg_key>\n<arg_value>${value}</arg_value>`)}\n</tool_call>`,
        )
        .join('\n'),
  },
  { name: 'function_call', write: (calls) => calls.map((call) => `<function_call>${json(call)}</function_call>`).join('\n') },
  {
    name: 'OpenAI',
    kind: 'bare',
    write: (calls) =>
      JSON.stringify({
        tool_calls: calls.map(({ name, arguments: given }, at) => ({
          id: `call_${at}`,
          type: 'function',
          function: { name, arguments: JSON.stringify(given) },
        })),
      }),
  },
  { name: 'plain JSON', kind: 'bare', write: (calls) => calls.map((call) => json(call)).join('\n') },
  { name: 'JSON in a fence', kind: 'bare', write: (calls) => `\`\`\`json\n${listOf(calls)}\n\`\`\`` },
  ...familyDialects,
];
