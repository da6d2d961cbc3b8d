import type { Entry } from '../../protocol/entries';
import { callTool } from '../../types/loadedTools';
import type { StreamedAnswer } from '../stream/streamProcessor';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';

/** Minimum tokens of a dropped call. The completion mark is shorter. */
const leastTokens = 12;

/**
 * Tells whether the server has probably dropped a call of a tool that the request does not declare, as Ollama does for models with a Go
 * template: the answer has more tokens than its text can have. `shown` are its entries.
 */
export function isCallDropped(
  { calls, doneReason, stats }: StreamedAnswer,
  shown: readonly Entry[],
  tools: ToolRegistry,
): boolean {
  if (calls > 0 || doneReason === 'length' || !tools.isDeclared(callTool)) return false;
  const text = shown.filter(({ type }) => type === 'assistant_output').map(({ content }) => content);
  return (stats.answerTokens ?? 0) > mostTokens(text.join('\n')) + leastTokens;
}

/**
 * Returns a high estimate of the tokens of a text: one for three letters of a word, one or two for each other character and line break, and
 * a fifth more. A tokenizer made for English (SmolLM2) needs 0.85 of it for German and Polish, and 0.5 for English.
 */
function mostTokens(text: string): number {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return 1.2 * (count(/[A-Za-z]{1,3}/g) + count(/[^A-Za-z \t\u0080-\uffff]/g) + count(/[\u0080-\uffff]/g) * 2);
}
