import type { WireMessage } from '../types/ollama';

/** Calls and results as text, for models to which a server cannot give tools: the form that most of them have seen. */

/** Text with which a model would begin to make up the result of its own call. */
export const resultOpening = '<tool_response';

export function printCall(name: string, input: Record<string, unknown>): string {
  return `<tool_call>\n${JSON.stringify({ name, arguments: input })}\n</tool_call>`;
}

export function printResult(name: string, content: string): string {
  return `${resultOpening} name=${JSON.stringify(name)}>\n${content}\n</tool_response>`;
}

/** Builds an answer whose calls are part of its text, and the results as words of the user. */
export function printedAnswer(text: string, calls: readonly string[], results: readonly string[]): WireMessage[] {
  return [
    { role: 'assistant', content: [text, ...calls].filter((part) => part !== '').join('\n') },
    { role: 'user', content: results.join('\n') },
  ];
}
