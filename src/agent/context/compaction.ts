import { activeMarker, isCompacted } from '../../protocol/context/compaction';
import type { Entry, EntryInput } from '../../protocol/entries';
import { imageLength } from '../../protocol/context/imageRef';
import { listImages, sentImages } from '../../protocol/context/sentImages';
import { buildHistory } from '../../protocol/history';
import { shortenedText } from '../../protocol/context/shortening';
import { selectPrompted } from '../../protocol/reducer/promptedEntries';
import { factualSummary, modelShare } from './factualSummary';
import { transcriptLine } from './summaryText';

/** Space for a conversation in the context window, in characters based on the token length of the model. */
export interface CompactionRoom {
  /** Maximum characters of the whole conversation. */
  conversation: number;
  /** Size of the whole context window in characters, including the system prompt, the tools and the answer. */
  window: number;
  /** Lines that the user removed from the memory. */
  forgotten?: ReadonlySet<string>;
}

type Marker = Extract<EntryInput, { type: 'compact_marker' }>;

export interface CompactionPlan {
  marker: Marker;
  /** Number of characters that are no longer sent. */
  saved: number;
}

/** Additional data for a marker that is written in several chunks. */
export type MarkerExtras = Pick<Marker['data'], 'words' | 'continues'> & {
  /** Last entry that the marker may cover. The default is the last entry that is old enough. */
  throughSeq?: number;
};

/** Part of the entries to summarize that fits into one summary request. */
export interface SummaryChunk {
  transcript: string;
  throughSeq: number;
}

/** Types of entries whose text is part of the prompt. */
const sent: ReadonlySet<Entry['type']> = new Set(['user_input', 'assistant_output', 'tool_call', 'tool_result', 'restore']);
/** Share of the conversation's space for the newest entries. */
const newestShare = 0.35;
/** Share of the conversation's space for the user's messages. */
const messagesShare = 0.35;
/** Share of the conversation's space for the summary. */
const summaryShare = 0.25;
/** Maximum share of the message space for the first message. */
const firstShare = 0.4;
/** Number of characters that the first message may always use. */
const firstMinimum = 200;
/** Maximum share of the context window for the user's messages. */
const maxWindowShare = 0.25;

/**
 * Plans how a summary replaces the older part of a conversation. Keeps the newest entries, and the user's messages
 * if they fit. Keeps all sentences in older messages that require or forbid something. A call and its result stay
 * together. Uses no model and takes a few milliseconds. Returns null if the summary would save nothing.
 */
export function planCompaction(
  entries: readonly Entry[],
  room: CompactionRoom,
  extras: MarkerExtras = {},
): CompactionPlan | null {
  const conversation = selectPrompted(entries);
  const earlier = activeMarker(conversation);
  const { throughSeq: limit = Infinity, words = earlier?.data.words, continues } = extras;
  const newest = conversation.findIndex(({ seq }) => seq > limit);
  const recent = findBoundary(conversation, room.conversation * newestShare);
  const boundary = newest < 0 ? recent : Math.min(newest, recent);
  const throughSeq = conversation[boundary - 1]?.seq ?? 0;
  if (throughSeq <= (earlier?.data.throughSeq ?? 0)) return null;
  const old = conversation.slice(0, boundary);
  const kept = keptMessages(old, conversation, Math.min(room.conversation * messagesShare, room.window * maxWindowShare));
  const left = old.filter((entry) => !kept.includes(entry.seq) && entry.type !== 'compact_marker');
  const summary = factualSummary(left, room.conversation * summaryShare, words, room.forgotten);
  const compactedCount = old.filter((entry) => !isCompacted(entry, earlier) && !kept.includes(entry.seq)).length;
  const marker = {
    type: 'compact_marker' as const,
    content: summary,
    data: { compactedCount, throughSeq, summary, kept, ...(words && { words }), ...(continues !== undefined && { continues }) },
  };
  const saved =
    measureLength(conversation) -
    measureLength([...conversation, createMarkerEntry(marker, (conversation.at(-1)?.seq ?? 0) + 1)]);
  return saved > 0 ? { marker, saved } : null;
}

/** Returns the maximum length of the part of a summary that a model writes. */
export function modelSummaryRoom({ conversation }: CompactionRoom): number {
  return Math.floor(conversation * summaryShare * modelShare);
}

/**
 * Splits the entries that a plan would newly summarize into chunks of at most
 * `characters`. Each chunk ends with a complete answer, so that one marker can cover it.
 */
export function splitForSummary(entries: readonly Entry[], { marker }: CompactionPlan, characters: number): SummaryChunk[] {
  const conversation = selectPrompted(entries);
  const from = activeMarker(conversation)?.data.throughSeq ?? 0;
  const chunks: SummaryChunk[] = [];
  for (const [index, entry] of conversation.entries()) {
    if (entry.seq <= from || entry.seq > marker.data.throughSeq) continue;
    const text = transcriptLine(entry);
    const last = chunks.at(-1);
    if (last === undefined || (last.transcript.length + text.length > characters && isBeginning(conversation, index)))
      chunks.push({ transcript: text, throughSeq: entry.seq });
    else {
      last.throughSeq = entry.seq;
      if (text !== '') last.transcript = `${last.transcript}\n${text}`;
    }
  }
  return chunks.map((chunk) => ({ ...chunk, transcript: shortenedText(chunk.transcript, characters) }));
}

/** Returns the length of a conversation, as sent, in characters. */
export function measureLength(entries: readonly Entry[]): number {
  return buildHistory(entries).reduce(
    (sum, { content, tool_calls: calls }) => sum + content.length + (calls ? JSON.stringify(calls).length : 0),
    [...sentImages(selectPrompted(entries)).values()].flat().length * imageLength,
  );
}

/** Returns the index at which the newest entries begin. They begin with a message, or with an answer and all its calls. */
function findBoundary(conversation: readonly Entry[], characters: number): number {
  let boundary = conversation.length;
  let length = 0;
  let open = 0;
  for (let index = conversation.length - 1; index >= 0; index -= 1) {
    const entry = conversation[index] as Entry;
    length += measureEntry(entry);
    if (entry.type === 'tool_result') open += 1;
    if (entry.type === 'tool_call') open = Math.max(0, open - 1);
    if (open > 0 || !isBeginning(conversation, index)) continue;
    // The last step always remains, because the model is working with it.
    if (length > characters && boundary < conversation.length) break;
    boundary = index;
    if (length > characters) break;
  }
  return boundary;
}

function isBeginning(conversation: readonly Entry[], index: number): boolean {
  const entry = conversation[index];
  const before = conversation[index - 1];
  if (entry?.type === 'user_input') return true;
  const isOfAnswer = (one: Entry | undefined) =>
    one?.type === 'thinking' || one?.type === 'assistant_output' || one?.type === 'tool_call' || one?.type === 'approval';
  return isOfAnswer(entry) && entry?.type !== 'approval' && !isOfAnswer(before) && before?.type !== 'system_message';
}

/**
 * Selects the user's messages that remain unchanged. The last message always remains. The first message states
 * the goal, so it remains unless it is long. Then the newest messages are added while they fit.
 */
function keptMessages(old: readonly Entry[], conversation: readonly Entry[], characters: number): number[] {
  const isMessage = ({ type }: Entry) => type === 'user_input';
  const last = conversation.findLast(isMessage)?.seq;
  const first = old.find(isMessage);
  const begins =
    first !== undefined && measureEntry(first) <= Math.max(characters * firstShare, firstMinimum) ? first : undefined;
  const kept: number[] = [];
  let length = begins === undefined ? 0 : measureEntry(begins);
  for (const entry of old.toReversed()) {
    if (!isMessage(entry) || entry === begins) continue;
    length += measureEntry(entry);
    if (length > characters && entry.seq !== last) break;
    kept.unshift(entry.seq);
  }
  return [...(begins === undefined ? [] : [begins.seq]), ...kept];
}

function measureEntry(entry: Entry): number {
  if (!sent.has(entry.type)) return 0;
  const input = entry.type === 'tool_call' ? JSON.stringify(entry.data.input).length : 0;
  const attached =
    entry.type === 'user_input' ? entry.data.attachments.reduce((sum, { content }) => sum + (content?.length ?? 0), 0) : 0;
  return entry.content.length + input + attached + listImages(entry).length * imageLength;
}

/** Builds an entry that is not in the log, to measure its effect on the prompt. */
function createMarkerEntry(marker: CompactionPlan['marker'], seq: number): Entry {
  const base = { id: '', sessionId: '', seq, revision: seq, timestamp: 0, isOpen: false };
  return { ...base, model: null, checkpointId: null, planItemId: null, ...marker, content: marker.content ?? '' };
}
