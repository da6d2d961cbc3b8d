import type { WireMessage } from '../types/ollama';

/** Text format of tool calls and results for models without tool support. Most of these models know the format from their training. */

/** Start of a result that the model invents for its own call. */
export const resultOpening = '<tool_response';

export function printCall(name: string, input: Record<string, unknown>): string {
  return `<tool_call>\n${JSON.stringify({ name, arguments: input })}\n</tool_call>`;
}

export function printResult(name: string, content: string): string {
  return `${resultOpening} name=${JSON.stringify(name)}>\n${content}\n</tool_response>`;
}

/** Builds an answer that contains its calls as text, and a user message with the results. */
export function printedAnswer(text: string, calls: readonly string[], results: readonly string[]): WireMessage[] {
  return [
    { role: 'assistant', content: [text, ...calls].filter((part) => part !== '').join('\n') },
    { role: 'user', content: results.join('\n') },
  ];
}
