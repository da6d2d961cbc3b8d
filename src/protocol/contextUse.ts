import { z } from 'zod';
import { measuredTokenLength } from '../types/tokenLength';
import type { Attachment, Entry } from './entries';
import { activeMarker, isCompacted } from './context/compaction';
import { imageTokens } from './context/imageRef';
import { sentImages } from './context/sentImages';
import { historyOf } from './history';
import { promptedOf } from './reducer/promptedEntries';

/** Kinds of content in a context window, in the order of the prompt. */
const partKinds = ['system', 'tools', 'instructions', 'memory', 'attachments', 'history', 'toolResults'] as const;
export type ContextPartKind = (typeof partKinds)[number];

/** Parts of a prompt whose change makes the server read again all that comes after them. */
const prefixParts = ['system', 'tools', 'instructions', 'memory', 'history'] as const;
export type PrefixPart = (typeof prefixParts)[number];

/** A model in the server's memory. */
const loadedModelSchema = z.object({
  /** Tokens; null where the server does not say. */
  window: z.number().nullable(),
  /** Share of it on the graphics card, from 0 to 1. */
  gpuShare: z.number(),
  /** Tokens of the window with which a model that is partly on the processor would be on the card as a whole; null where none is known. */
  fittingWindow: z.number().int().nullish(),
});
export type LoadedModel = z.infer<typeof loadedModelSchema>;

/** Use of the window by the next answer. All counts are tokens. */
export const contextUseSchema = z.object({
  model: z.string(),
  /** Window that requests ask for. */
  window: z.number(),
  /** State of the model in the server's memory; null if it is not loaded. */
  loaded: loadedModelSchema.nullable(),
  used: z.number(),
  /** True if the server measured `used`; the parts are estimates in any case. */
  isMeasured: z.boolean(),
  /** Share of the last prompt that the server did not read anew, from 0 to 1; null where nothing tells. */
  reused: z.number().nullable(),
  /** Part of the last prompt that was other than in the prompt before, so that what comes after it was read again; null where none was. */
  changed: z.enum(prefixParts).nullish(),
  /** Instruction files of the workspace: those that are in the prompt, and those for which there is no room. */
  instructions: z.array(
    z.object({
      shown: z.string(),
      isLeftOut: z.boolean(),
      /** Hidden characters that were taken out. */
      hidden: z.number().int(),
    }),
  ),
  /** Parts that add up to `used`. */
  parts: z.array(z.object({ kind: z.enum(partKinds), tokens: z.number() })),
});
export type ContextUse = z.infer<typeof contextUseSchema>;

/** Server's count of an answer and the prompt before it; `seq` is the last entry that is part of it. */
export interface ContextMeasure {
  seq: number;
  tokens: number;
  /** Share of the prompt that the server did not read anew, from 0 to 1. */
  reused?: number | null;
  /** Part that was other than in the prompt before. */
  changed?: PrefixPart | null;
}

export interface ContextInput {
  /** Characters of what is sent with every request. */
  fixed: Record<FixedPart, number>;
  entries: readonly Entry[];
  /** Tells whether a name is the model whose window is filled: another one counts in other tokens. */
  isModel: (name: string | null) => boolean;
  /** A measure that is not in the entries. */
  measured: ContextMeasure | null;
  /** Characters that make a token of the model. */
  tokenLength: number;
}

type FixedPart = Extract<ContextPartKind, 'system' | 'tools' | 'instructions' | 'memory'>;

/** Characters that a template puts around a message, about. */
const messageFrame = 16;

/** Returns the use: measured as far as the server has measured, estimated from there on with the measured length of a token. */
export function contextUse(input: ContextInput): Pick<ContextUse, 'used' | 'isMeasured' | 'parts'> {
  const { now, tokens, isWhollyMeasured } = sizeOf(input);
  return { ...shared(now, tokens), isMeasured: isWhollyMeasured };
}

/** Returns the size of the next request. `isMeasured`: the tokens are based on a count by the server. */
export function promptSize(input: ContextInput): { characters: number; tokens: number; isMeasured: boolean } {
  const { now, tokens, isMeasured } = sizeOf(input);
  return { characters: sum(now), tokens, isMeasured };
}

function sizeOf(input: ContextInput): { now: Characters; tokens: number; isMeasured: boolean; isWhollyMeasured: boolean } {
  const now = charactersOf(input, input.entries);
  const measure = lastMeasure(input);
  if (measure === null)
    return { now, tokens: Math.ceil(sum(now) / input.tokenLength), isMeasured: false, isWhollyMeasured: false };
  const then = sum(
    charactersOf(
      input,
      input.entries.filter(({ seq }) => seq <= measure.seq),
    ),
  );
  const added = Math.ceil((sum(now) - then) / measuredTokenLength(then, measure.tokens));
  return { now, tokens: Math.max(0, measure.tokens + added), isMeasured: true, isWhollyMeasured: added === 0 };
}

type Characters = Record<ContextPartKind, number>;

function charactersOf(
  { fixed, tokenLength }: Pick<ContextInput, 'fixed' | 'tokenLength'>,
  entries: readonly Entry[],
): Characters {
  const characters: Characters = { ...fixed, attachments: 0, history: 0, toolResults: 0 };
  for (const message of historyOf(entries)) {
    const calls = message.tool_calls === undefined ? 0 : JSON.stringify(message.tool_calls).length;
    characters[message.role === 'tool' ? 'toolResults' : 'history'] += message.content.length + calls + messageFrame;
  }
  // What is attached is sent inside the messages.
  characters.attachments = Math.min(characters.history, sentAttachments(entries));
  characters.history -= characters.attachments;
  const images = [...sentImages(promptedOf(entries)).values()].flat().length;
  characters.attachments += images * Math.round(imageTokens * tokenLength);
  return characters;
}

function sentAttachments(entries: readonly Entry[]): number {
  const conversation = promptedOf(entries);
  const marker = activeMarker(conversation);
  let length = 0;
  for (const entry of conversation) {
    if (entry.type !== 'user_input' || isCompacted(entry, marker)) continue;
    length += entry.data.attachments.reduce((total, { content }: Attachment) => total + (content?.length ?? 0), 0);
  }
  return length;
}

/** Returns the last measure that still holds: what it counted is in the conversation, and no summary has taken its place. */
function lastMeasure({ entries, isModel, measured }: ContextInput): ContextMeasure | null {
  const conversation = promptedOf(entries);
  const changed = conversation.findLast(({ type }) => type === 'compact_marker' || type === 'compact_undone');
  let last: ContextMeasure | null = null;
  for (const entry of conversation) {
    if (measured !== null && entry.seq === measured.seq) last = measured;
    if (entry.type !== 'assistant_output' || !isModel(entry.model)) continue;
    const { promptTokens, answerTokens = 0 } = entry.data.stats ?? {};
    if (promptTokens !== undefined && entry.seq !== measured?.seq) last = { seq: entry.seq, tokens: promptTokens + answerTokens };
  }
  return last !== null && last.tokens > 0 && last.seq > (changed?.seq ?? 0) ? last : null;
}

/** Returns the parts in tokens, such that they add up to `used`. */
function shared(characters: Characters, used: number): Pick<ContextUse, 'used' | 'parts'> {
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
