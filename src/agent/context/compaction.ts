import { activeMarker, isCompacted } from '../../protocol/context/compaction';
import type { Entry, EntryInput } from '../../protocol/entries';
import { imageLength } from '../../protocol/context/imageRef';
import { imagesOf, sentImages } from '../../protocol/context/sentImages';
import { historyOf } from '../../protocol/history';
import { shortenedText } from '../../protocol/context/shortening';
import { promptedOf } from '../../protocol/reducer/promptedEntries';
import { factualSummary, wordsShare } from './factualSummary';
import { told } from './summaryText';

/** Room of a conversation in a window, in characters of its model. */
export interface CompactionRoom {
  /** Characters that the whole conversation may take. */
  conversation: number;
  /** Characters of the window, with system prompt, tools and the answer. */
  window: number;
  /** Lines that a person does not want to be kept. */
  forgotten?: ReadonlySet<string>;
}

type Marker = Extract<EntryInput, { type: 'compact_marker' }>;

export interface CompactionPlan {
  marker: Marker;
  /** Characters that are not sent any more. */
  saved: number;
}

/** Further data of a marker, by chunk. */
export type MarkerExtras = Pick<Marker['data'], 'words' | 'continues'> & {
  /** Last entry that it may stand for; by default the last that is old enough. */
  throughSeq?: number;
};

/** Part of what a marker will stand for, small enough for one request. */
export interface SummaryChunk {
  transcript: string;
  throughSeq: number;
}

/** Entries whose text is in the prompt. */
const sent: ReadonlySet<Entry['type']> = new Set(['user_input', 'assistant_output', 'tool_call', 'tool_result', 'restore']);
/** Parts of the conversation's room: the newest entries as they are, messages of the user word for word, and the summary. */
const [newestShare, messagesShare, summaryShare] = [0.35, 0.35, 0.25];
/** Share of the room of all messages that the first one may take, and the characters that it may take in any case. */
const [firstShare, firstLeast] = [0.4, 200];
/** Messages of the user take no more of the window than this. */
const mostOfWindow = 0.25;

/**
 * Plans to let a summary stand for the older part of a conversation: the newest entries stay as they are, and so do the person's own messages as far as
 * they have room; of older ones each sentence that requires or forbids. Takes no model and at most some milliseconds. Null where there is nothing to
 * save. A call and its result are never parted.
 */
export function planCompaction(
  entries: readonly Entry[],
  room: CompactionRoom,
  extras: MarkerExtras = {},
): CompactionPlan | null {
  const conversation = promptedOf(entries);
  const earlier = activeMarker(conversation);
  const { throughSeq: limit = Infinity, words = earlier?.data.words, continues } = extras;
  const newest = conversation.findIndex(({ seq }) => seq > limit);
  const recent = boundaryOf(conversation, room.conversation * newestShare);
  const boundary = newest < 0 ? recent : Math.min(newest, recent);
  const throughSeq = conversation[boundary - 1]?.seq ?? 0;
  if (throughSeq <= (earlier?.data.throughSeq ?? 0)) return null;
  const old = conversation.slice(0, boundary);
  const kept = keptMessages(old, conversation, Math.min(room.conversation * messagesShare, room.window * mostOfWindow));
  const left = old.filter((entry) => !kept.includes(entry.seq) && entry.type !== 'compact_marker');
  const summary = factualSummary(left, room.conversation * summaryShare, words, room.forgotten);
  const compactedCount = old.filter((entry) => !isCompacted(entry, earlier) && !kept.includes(entry.seq)).length;
  const marker = {
    type: 'compact_marker' as const,
    content: summary,
    data: { compactedCount, throughSeq, summary, kept, ...(words && { words }), ...(continues !== undefined && { continues }) },
  };
  const saved = lengthOf(conversation) - lengthOf([...conversation, entryOf(marker, (conversation.at(-1)?.seq ?? 0) + 1)]);
  return saved > 0 ? { marker, saved } : null;
}

/** Returns the characters that a model may write of a conversation with such room. */
export function wordsRoom({ conversation }: CompactionRoom): number {
  return Math.floor(conversation * summaryShare * wordsShare);
}

/**
 * Returns what a plan will stand for and no summary before it does, in chunks of so many characters at the most. Each ends where an answer is complete,
 * so that a marker may stand for it alone.
 */
export function chunksOf(entries: readonly Entry[], { marker }: CompactionPlan, characters: number): SummaryChunk[] {
  const conversation = promptedOf(entries);
  const from = activeMarker(conversation)?.data.throughSeq ?? 0;
  const chunks: SummaryChunk[] = [];
  for (const [index, entry] of conversation.entries()) {
    if (entry.seq <= from || entry.seq > marker.data.throughSeq) continue;
    const text = told(entry);
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

/** Returns the characters of a conversation as they are sent. */
export function lengthOf(entries: readonly Entry[]): number {
  return historyOf(entries).reduce(
    (sum, { content, tool_calls: calls }) => sum + content.length + (calls ? JSON.stringify(calls).length : 0),
    [...sentImages(promptedOf(entries)).values()].flat().length * imageLength,
  );
}

/** Returns the index at which the newest entries begin: before a message or an answer, with all calls of it. */
function boundaryOf(conversation: readonly Entry[], characters: number): number {
  let boundary = conversation.length;
  let length = 0;
  let open = 0;
  for (let index = conversation.length - 1; index >= 0; index -= 1) {
    const entry = conversation[index] as Entry;
    length += sizeOf(entry);
    if (entry.type === 'tool_result') open += 1;
    if (entry.type === 'tool_call') open = Math.max(0, open - 1);
    if (open > 0 || !isBeginning(conversation, index)) continue;
    // The last step is what the model is working with, however long it is.
    if (length > characters && boundary < conversation.length) break;
    boundary = index;
    if (length > characters) break;
  }
  return boundary;
}

/** Tells whether an entry begins a message or an answer. */
function isBeginning(conversation: readonly Entry[], index: number): boolean {
  const [entry, before] = [conversation[index], conversation[index - 1]];
  if (entry?.type === 'user_input') return true;
  const isOfAnswer = (one: Entry | undefined) =>
    one?.type === 'thinking' || one?.type === 'assistant_output' || one?.type === 'tool_call' || one?.type === 'approval';
  return isOfAnswer(entry) && entry?.type !== 'approval' && !isOfAnswer(before) && before?.type !== 'system_message';
}

/**
 * Picks the person's own messages that stay word for word: the last one always, the first one unless it is long, as it says what all of it is about, of
 * the others the newest that have room.
 */
function keptMessages(old: readonly Entry[], conversation: readonly Entry[], characters: number): number[] {
  const isMessage = ({ type }: Entry) => type === 'user_input';
  const last = conversation.findLast(isMessage)?.seq;
  const first = old.find(isMessage);
  const begins = first !== undefined && sizeOf(first) <= Math.max(characters * firstShare, firstLeast) ? first : undefined;
  const kept: number[] = [];
  let length = begins === undefined ? 0 : sizeOf(begins);
  for (const entry of old.toReversed()) {
    if (!isMessage(entry) || entry === begins) continue;
    length += sizeOf(entry);
    if (length > characters && entry.seq !== last) break;
    kept.unshift(entry.seq);
  }
  return [...(begins === undefined ? [] : [begins.seq]), ...kept];
}

function sizeOf(entry: Entry): number {
  if (!sent.has(entry.type)) return 0;
  const input = entry.type === 'tool_call' ? JSON.stringify(entry.data.input).length : 0;
  const attached =
    entry.type === 'user_input' ? entry.data.attachments.reduce((sum, { content }) => sum + (content?.length ?? 0), 0) : 0;
  return entry.content.length + input + attached + imagesOf(entry).length * imageLength;
}

/** Builds an entry that is not in the log, to see what it would do. */
function entryOf(marker: CompactionPlan['marker'], seq: number): Entry {
  const base = { id: '', sessionId: '', seq, revision: seq, timestamp: 0, isOpen: false };
  return { ...base, model: null, checkpointId: null, planItemId: null, ...marker, content: marker.content ?? '' };
}
