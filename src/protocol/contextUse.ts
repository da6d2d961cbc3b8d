import { z } from 'zod';
import { measuredTokenLength } from '../types/tokenLength';
import type { Attachment, Entry } from './entries';
import { activeMarker, isCompacted } from './context/compaction';
import { imageTokens } from './context/imageRef';
import { sentImages } from './context/sentImages';
import { buildHistory } from './history';
import { selectPrompted } from './reducer/promptedEntries';

/** Kinds of content in a context window, in prompt order. */
const partKinds = ['system', 'tools', 'instructions', 'memory', 'attachments', 'history', 'toolResults', 'draft'] as const;
export type ContextPartKind = (typeof partKinds)[number];

/** Prompt parts in prompt order. If one changes, the prompt cache becomes invalid for everything after it. */
const prefixParts = ['system', 'tools', 'instructions', 'memory', 'history'] as const;
export type PrefixPart = (typeof prefixParts)[number];
/** Reasons why the server must process a prompt again. `cache`: nothing changed, but the server no longer had the last prompt. */
const rereadReasons = [...prefixParts, 'cache'] as const;
export type RereadReason = (typeof rereadReasons)[number];

const loadedModelSchema = z.object({
  /** Context window in tokens. Null if the server does not report it. */
  window: z.number().nullable(),
  /** Share of the model in GPU memory, from 0 to 1. */
  gpuShare: z.number(),
  /** Context window in tokens with which the whole model would fit on the GPU. Null if unknown. */
  fittingWindow: z.number().int().nullish(),
});
export type LoadedModel = z.infer<typeof loadedModelSchema>;

/** Context window usage of the next answer. All counts are in tokens. */
export const contextUseSchema = z.object({
  model: z.string(),
  /** Context window that the requests specify. */
  window: z.number(),
  /** State of the model in memory. Null if the model is not loaded. */
  loaded: loadedModelSchema.nullable(),
  used: z.number(),
  /** True if the server measured `used`. The numbers of the parts are always estimates. */
  isMeasured: z.boolean(),
  /** Share of the last prompt that came from the prompt cache, from 0 to 1. Null if unknown. */
  reused: z.number().nullable(),
  /** True if the server has already processed the start of the next request. */
  isPrepared: z.boolean().optional(),
  /**
   * First part of the last prompt that differs from the previous prompt. The cache is invalid from
   * there on. `cache` means that the server lost the cache. Null if there is no reason to report.
   */
  changed: z.enum(rereadReasons).nullish(),
  /** Instruction files in the workspace. Each is part of the prompt, unless it was omitted because of its size. */
  instructions: z.array(
    z.object({
      shown: z.string(),
      isLeftOut: z.boolean(),
      /** Number of removed hidden characters. */
      hidden: z.number().int(),
      /** `frontMatter`: part of the front matter could not be read. `noDescription` and `unreadable` only apply to skills. */
      problem: z.enum(['frontMatter', 'noDescription', 'unreadable']).optional(),
    }),
  ),
  /** Tool names: tools in the next request, tools that the model can load, and tools that do not fit in the context window. */
  tools: z.object({ sent: z.array(z.string()), loadable: z.array(z.string()), leftOut: z.array(z.string()) }),
  /** Parts of the prompt. Their tokens add up to `used`. */
  parts: z.array(z.object({ kind: z.enum(partKinds), tokens: z.number() })),
});
export type ContextUse = z.infer<typeof contextUseSchema>;

/** Token count that the server reported for an answer and its prompt. `seq` is the last entry that the count includes. */
export interface ContextMeasure {
  seq: number;
  tokens: number;
  /** Number of characters in the system message and the tools of the request. Undefined for answers of earlier versions. */
  fixedCharacters: number | undefined;
  /** Share of the prompt that came from the prompt cache, from 0 to 1. */
  reused?: number | null;
  changed?: RereadReason | null;
}

export interface ContextInput {
  /** Character counts of the parts that are in every request. */
  fixed: Record<FixedPart, number>;
  entries: readonly Entry[];
  /** Returns true if `name` is the model of this context window. Token counts of other models are not comparable. */
  isModel: (name: string | null) => boolean;
  /** Newest measurement of this model, even if it is not in the entries. */
  measured: ContextMeasure | null;
  /** Average characters per token of the model. */
  tokenLength: number;
  /** Estimated length in characters of the message that the user is writing. */
  draft?: number;
}

type FixedPart = Extract<ContextPartKind, 'system' | 'tools' | 'instructions' | 'memory'>;

/** Approximate number of characters that a prompt template adds per message. */
const messageFrame = 16;

/**
 * Returns the context window usage. Starts from the server's last measurement
 * and adds an estimate for newer entries, based on the measured token length.
 */
export function contextUse(input: ContextInput): Pick<ContextUse, 'used' | 'isMeasured' | 'parts'> {
  const { now, tokens, isWhollyMeasured } = measureContext(input);
  return { ...inTokens(now, tokens), isMeasured: isWhollyMeasured };
}

/** Returns the size of the next request. `isMeasured` is true if the token count is based on a measurement by the server. */
export function promptSize(input: ContextInput): { characters: number; tokens: number; isMeasured: boolean } {
  const { now, tokens, isMeasured } = measureContext(input);
  return { characters: sum(now), tokens, isMeasured };
}

function measureContext(input: ContextInput): {
  now: Characters;
  tokens: number;
  isMeasured: boolean;
  isWhollyMeasured: boolean;
} {
  const now = { ...countCharacters(input, input.entries), draft: input.draft ?? 0 };
  const measure = lastMeasure(input);
  if (measure === null)
    return { now, tokens: Math.ceil(sum(now) / input.tokenLength), isMeasured: false, isWhollyMeasured: false };
  const then = {
    ...countCharacters(
      input,
      input.entries.filter(({ seq }) => seq <= measure.seq),
    ),
    ...(measure.fixedCharacters !== undefined && { system: measure.fixedCharacters, tools: 0, instructions: 0, memory: 0 }),
  };
  const added = sum(now) - sum(then);
  const tokens = measure.tokens + Math.ceil(added / measuredTokenLength(sum(then), measure.tokens));
  const isWhollyMeasured = added === 0 && measure.fixedCharacters !== undefined;
  return { now, tokens: Math.max(0, tokens), isMeasured: true, isWhollyMeasured };
}

type Characters = Record<ContextPartKind, number>;

function countCharacters(
  { fixed, tokenLength }: Pick<ContextInput, 'fixed' | 'tokenLength'>,
  entries: readonly Entry[],
): Characters {
  const characters: Characters = { ...fixed, attachments: 0, history: 0, toolResults: 0, draft: 0 };
  for (const message of buildHistory(entries)) {
    const calls = message.tool_calls === undefined ? 0 : JSON.stringify(message.tool_calls).length;
    characters[message.role === 'tool' ? 'toolResults' : 'history'] += message.content.length + calls + messageFrame;
  }
  // Attachments are sent inside the messages, so they are part of the history.
  characters.attachments = Math.min(characters.history, sentAttachments(entries));
  characters.history -= characters.attachments;
  const images = [...sentImages(selectPrompted(entries)).values()].flat().length;
  characters.attachments += images * Math.round(imageTokens * tokenLength);
  return characters;
}

function sentAttachments(entries: readonly Entry[]): number {
  const conversation = selectPrompted(entries);
  const marker = activeMarker(conversation);
  let length = 0;
  for (const entry of conversation) {
    if (entry.type !== 'user_input' || isCompacted(entry, marker)) continue;
    length += entry.data.attachments.reduce((total, { content }: Attachment) => total + (content?.length ?? 0), 0);
  }
  return length;
}

/** Returns the last valid measurement. Its entries must be in the conversation and not replaced by a summary. */
function lastMeasure({ entries, isModel, measured }: ContextInput): ContextMeasure | null {
  const conversation = selectPrompted(entries);
  const changed = conversation.findLast(({ type }) => type === 'compact_marker' || type === 'compact_undone');
  let last: ContextMeasure | null = null;
  for (const entry of conversation) {
    if (measured !== null && entry.seq === measured.seq) last = measured;
    if (entry.type !== 'assistant_output' || !isModel(entry.model)) continue;
    const { promptTokens, answerTokens = 0, fixedCharacters } = entry.data.stats ?? {};
    if (promptTokens === undefined || entry.seq === measured?.seq) continue;
    last = { seq: entry.seq, tokens: promptTokens + answerTokens, fixedCharacters };
  }
  return last !== null && last.tokens > 0 && last.seq > (changed?.seq ?? 0) ? last : null;
}

/** Converts character counts to tokens, so that the parts add up to `used`. */
function inTokens(characters: Characters, used: number): Pick<ContextUse, 'used' | 'parts'> {
  const total = sum(characters);
  let rest = used;
  const parts = partKinds.map((kind) => {
    const tokens = Math.min(rest, total === 0 ? 0 : Math.round((characters[kind] / total) * used));
    rest -= tokens;
    return { kind, tokens };
  });
  const largest = parts.reduce((a, b) => (b.tokens > a.tokens ? b : a));
  largest.tokens += rest;
  return { used, parts };
}

function sum(characters: Characters): number {
  return Object.values(characters).reduce((total, length) => total + length, 0);
}
