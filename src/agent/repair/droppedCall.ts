import type { Entry } from '../../protocol/entries';
import { callTool } from '../../types/loadedTools';
import type { StreamedAnswer } from '../stream/streamProcessor';
import type { ToolRegistry } from '../tools/kernel/toolRegistry';

/** Minimum tokens of a dropped call. The completion mark has fewer tokens. */
const leastTokens = 12;

/**
 * Returns whether the server has probably dropped a call, because the answer has more tokens than its text explains.
 * Ollama drops calls of undeclared tools for models with a Go template. `shown` contains the entries of the answer.
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
 * Returns a high estimate of the tokens of a text. Counts one token for three ASCII letters,
 * one or two for each other character and line break, and adds 20%. SmolLM2, whose tokenizer
 * is made for English, needs 85% of the estimate for German and Polish, and 50% for English.
 */
function mostTokens(text: string): number {
  const count = (pattern: RegExp) => text.match(pattern)?.length ?? 0;
  return 1.2 * (count(/[A-Za-z]{1,3}/g) + count(/[^A-Za-z \t\u0080-\uffff]/g) + count(/[\u0080-\uffff]/g) * 2);
}
