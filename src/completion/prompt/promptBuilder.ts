import type { CompletionDocument, CompletionModel } from '../completionTypes';
import type { FimContext } from '../models/fimFamilies';
import { prefixWindow, SuffixKeeper } from './promptWindow';

/** Shares of the prompt budget in percent. */
const shares = { prefix: 35, suffix: 15, stable: 35, volatile: 15 } as const;

const suffixStep = 256;

export interface PromptLimits {
  /** Maximum number of tokens in the whole prompt. */
  tokens: number;
  /** Average number of characters per token for this model. */
  charsPerToken: number;
  maxPrefixChars: number;
  maxSuffixChars: number;
}

/** Snippets of other files and of the current file. The snippets in `stable` rarely change. */
export interface PromptContext {
  stable: readonly FimContext[];
  volatile: readonly FimContext[];
}

export interface CompletionPrompt {
  prompt: string;
  /** Text after the cursor, for a model that uses the template of the server. */
  suffix: string | undefined;
  stop: string[];
}

/** Builds prompts within their budget. If possible, a prompt shares a prefix with the previous prompt. */
export class PromptBuilder {
  private readonly suffixes = new SuffixKeeper();

  build(
    document: CompletionDocument,
    { ask, stop }: CompletionModel,
    limits: PromptLimits,
    context: PromptContext,
  ): CompletionPrompt {
    const room = limits.tokens * limits.charsPerToken;
    const stable = thatFit(context.stable, (room * shares.stable) / 100);
    const others = [...stable, ...thatFit(context.volatile, (room * shares.volatile) / 100)];
    const left = (room * (shares.stable + shares.volatile)) / 100 - sumLengths(others);
    const prefixRoom = Math.floor((room * shares.prefix) / 100 + left);
    const prefix = prefixWindow(document.before, Math.min(prefixRoom, limits.maxPrefixChars));
    const suffixRoom = Math.min(suffixRoomFor(prefix.length + sumLengths(others), room), limits.maxSuffixChars);
    const suffix = this.suffixes.suffixFor(document.uri, document.after, suffixRoom);
    if (ask.way === 'suffix') return { prompt: prefix === '' ? '\n' : prefix, suffix, stop: [...stop] };
    const { family } = ask;
    const prompt = family.prompt({ prefix, suffix, path: document.path, context: others });
    return { prompt, suffix: undefined, stop: [...new Set([...family.stop, ...stop])] };
  }
}

/**
 * Returns how many characters after the cursor to send, based on their share of the prompt. The number changes in steps, because
 * every change makes the server process the text after the cursor again.
 */
function suffixRoomFor(others: number, room: number): number {
  const share = (others * shares.suffix) / (100 - shares.suffix);
  const stepped = Math.max(suffixStep, Math.floor(share / suffixStep) * suffixStep);
  return Math.floor(Math.min(stepped, (room * shares.suffix) / 100));
}

/** Returns the snippets that fit, in order. Also includes smaller snippets after a snippet that does not fit. */
function thatFit(pieces: readonly FimContext[], room: number): FimContext[] {
  let used = 0;
  return pieces.filter((piece) => {
    const length = sumLengths([piece]);
    if (used + length > room) return false;
    used += length;
    return true;
  });
}

function sumLengths(pieces: readonly FimContext[]): number {
  return pieces.reduce((sum, { path, text }) => sum + path.length + text.length + 16, 0);
}
