import type { OllamaClient } from '../../services/model/client/ollamaClient';
import type { GenerateRequest } from '../../types/ollama';
import { conservativeTokenLength } from '../../types/tokenLength';
import type { CompletionDocument, CompletionModel } from '../completionTypes';
import { commentMarker } from '../models/contextComments';
import { PromptBuilder } from '../prompt/promptBuilder';
import { cleanCompletion } from '../text/cleanCompletion';

/** Problem in a line, as reported by a language extension. */
export interface LineProblem {
  /** Text of the line without its line ending. */
  line: string;
  /** Range of the problem in the line, as character offsets. */
  from: number;
  to: number;
  message: string;
}

/** Number of characters of context on each side. */
const contextLength = 2000;
const tokens = 96;
/** Minimum similarity at which a line counts as a rewrite of another line. */
const minSimilarity = 0.4;

/**
 * Returns the line with its problem fixed. Returns undefined if there is no valid fix. If the message proposes a name, uses it
 * without a model. Rejects with the error that the server returned.
 */
export async function rewrittenLine(
  ask: { client: Pick<OllamaClient, 'generate'>; model: CompletionModel; keepAlive: string | number },
  /** Document with the cursor at the start of the line. The text after the cursor does not include the line. */
  document: CompletionDocument,
  problem: LineProblem,
  signal: AbortSignal,
): Promise<string | undefined> {
  const proposed = proposedName(problem);
  if (proposed !== undefined) return proposed;
  const indent = /^\s*/.exec(problem.line)?.[0] ?? '';
  const hint = `${indent}${commentMarker(document.path)} Fix: ${problem.message.split('\n', 1)[0]}\n${indent}`;
  const before = document.before.slice(-contextLength) + hint;
  const after = document.after.slice(0, contextLength);
  const limits = {
    tokens: 1500,
    charsPerToken: conservativeTokenLength,
    maxPrefixChars: 2 * contextLength,
    maxSuffixChars: contextLength,
  };
  const { model, keepAlive } = ask;
  const asked = { ...document, before, after };
  const { prompt, suffix, stop } = new PromptBuilder().build(asked, model, limits, { stable: [], volatile: [] });
  const request: GenerateRequest = {
    model: model.name,
    prompt,
    ...(suffix === undefined ? { raw: true } : { suffix }),
    options: { ...model.options, num_predict: tokens, temperature: 0, stop: [...stop, '\n'] },
    keep_alive: keepAlive,
    think: false,
    truncate: false,
    shift: false,
  };
  let raw = '';
  for await (const { response } of ask.client.generate(request, { signal })) raw += response;
  const family = model.ask.way === 'raw' ? model.ask.family.name : null;
  const { languageId } = document;
  const text = cleanCompletion({ raw, prefix: before, suffix: after, languageId, multiline: false, family });
  const line = text === undefined ? undefined : indent + text.trimStart();
  return line !== undefined && isRewrite(problem.line, line) ? line : undefined;
}

/** Returns the line with the name that the message proposes. TypeScript and Rust write such messages. */
function proposedName({ line, from, to, message }: LineProblem): string | undefined {
  const name = /did you mean (?:to write )?['‘“"`]([\w$]+)['’”"`]/i.exec(message)?.[1];
  return name === undefined || to <= from ? undefined : line.slice(0, from) + name + line.slice(to);
}

/** Returns whether a line differs from another line but has mostly the same words. */
function isRewrite(before: string, now: string): boolean {
  if (before.trim() === now.trim() || now.trim() === '') return false;
  const one = splitWords(before);
  const other = splitWords(now);
  const shared = one.filter((word) => other.includes(word)).length;
  return shared / Math.max(one.length, other.length, 1) >= minSimilarity;
}

function splitWords(line: string): string[] {
  return line.match(/\w+|[^\w\s]/g) ?? [];
}
