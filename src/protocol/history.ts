import type { WireMessage } from '../types/ollama';
import { restoredNote, UndoneChanges } from './changeNotes';
import { activeMarker, isCompacted } from './context/compaction';
import { sentImages } from './context/sentImages';
import { isContinuation, joinContinued } from './continuation';
import type { Entry, EntryOf, Attachment } from './entries';
import { printCall, printedAnswer, printResult } from './printedCalls';
import { messageLimits, sendingLimits, sentResult, shortenedInput, shortenedText } from './context/shortening';
import { promptedOf } from './reducer/promptedEntries';

const interruptedCall = 'Interrupted: this call was not run to its end and has no result.';
const goOn =
  'Your last answer was cut off. Continue it exactly where it stopped, beginning with the very next character. ' +
  'Do not repeat any of it, do not start again and do not comment on the break.';
const deniedCall = 'The user declined this call. It was not run.';

export interface HistoryForm {
  /** True for a model without tool support: calls are part of its answers, and their results words of the user. */
  callsAsText?: boolean;
  /** Returns the content of an image in base64; undefined for one that the model is not shown. Without it none are. */
  images?: (hash: string) => string | undefined;
}

/** A result as it is sent, with the images that the model is shown. */
interface Result {
  entry: EntryOf<'tool_result'>;
  images: readonly string[];
}

interface Answer {
  text: string;
  calls: EntryOf<'tool_call'>[];
  hasResults: boolean;
  /** The run it belongs to has ended: what follows is another attempt. */
  isOver: boolean;
  /** True if it was cut off and the next text continues it. */
  isContinued: boolean;
}

/**
 * Entries in order of `seq` → what the model is told of the conversation, without the system prompt. Every call is
 * followed by exactly one result; thinking, errors and notices are left out; entries that a compaction stands for are
 * replaced by its summary; long results are cut as far as a notice says. The same entries always give the same messages, so that a server can reuse its cache.
 */
export function historyOf(entries: readonly Entry[], form: HistoryForm = {}): WireMessage[] {
  const conversation = promptedOf(entries);
  const marker = activeMarker(conversation);
  const messages: WireMessage[] = [];
  if (marker) addUser(messages, `Summary of the conversation so far:\n${marker.data.summary}`);

  const [limitOf, messageLimitOf] = [sendingLimits(conversation), messageLimits(conversation)];
  const images = sentImages(conversation);
  const shownOf = (seq: number): string[] => (images.get(seq) ?? []).flatMap(({ hash }) => form.images?.(hash) ?? []);
  const results = new Map<string, Result>();
  for (const entry of conversation)
    if (entry.type === 'tool_result')
      results.set(entry.data.callId, {
        entry: withContent(entry, limitOf),
        images: form.callsAsText === true ? [] : shownOf(entry.seq),
      });

  let answer: Answer | null = null;
  const flush = (): void => {
    if (answer) addAnswer(messages, answer, results, form);
    answer = null;
  };
  /** Attachments that stand in an earlier message. */
  const told = new Set<string>();
  const undone = new UndoneChanges();
  const tell = (): void => {
    flush();
    const note = undone.take();
    if (note !== undefined) addUser(messages, note);
  };
  for (const entry of conversation) {
    if (entry.type === 'review') undone.note(entry);
    // A summary tells what was said before it, and only that.
    if (marker && entry.seq <= marker.data.throughSeq && entry.type === 'user_input') undone.take();
    if (isCompacted(entry, marker)) continue;
    switch (entry.type) {
      case 'user_input':
        tell();
        addMessage(messages, entry, { limit: messageLimitOf(entry.seq), images: shownOf(entry.seq), told });
        break;
      case 'assistant_output':
        if (entry.data.isThinking === true) break;
        if (answer && answer.calls.length > 0) tell();
        answer = sameOrNext(answer);
        answer.text = answer.isContinued ? joinContinued(answer.text, entry.content) : joined(answer.text, entry.content);
        answer.isContinued = false;
        break;
      case 'tool_call':
        if (answer && (answer.hasResults || (answer.isOver && answer.calls.length > 0))) tell();
        answer = sameOrNext(answer);
        answer.calls.push(withInput(entry, limitOf));
        break;
      case 'tool_result':
        if (answer) answer.hasResults = true;
        break;
      case 'restore':
        if (entry.data.paths.length === 0) break;
        flush();
        addUser(messages, restoredNote(entry));
        break;
      case 'run_end':
        if (answer) answer.isOver = true;
        break;
      case 'system_message':
        if (answer && isContinuation(entry) && answer.calls.length === 0) {
          answer.isOver = false;
          answer.isContinued = true;
        }
        break;
      default:
        break;
    }
  }
  // What follows results is asked for next; an answer without calls may yet be given again, or gone on with.
  if (answer?.hasResults === true) tell();
  else flush();
  return messages;
}

/**
 * The history to ask for another answer with. It never ends in an answer: a server would take one for the beginning of
 * what it is to write (and refuses that while thinking is on), so a partial answer is left out where it is to be given again, and
 * followed by a request to go on where it is to be continued.
 */
export function historyForNextAnswer(entries: readonly Entry[], form: HistoryForm = {}): WireMessage[] {
  const messages = historyOf(entries, form);
  if (endsInContinuation(entries) && messages.at(-1)?.role === 'assistant') addUser(messages, goOn);
  while (messages.at(-1)?.role === 'assistant' && messages.at(-1)?.tool_calls === undefined) messages.pop();
  return messages;
}

/** Tells whether the model is to continue a partial answer: it has said nothing since that was asked. */
export function isGoingOn(entries: readonly Entry[]): boolean {
  const last = endsInContinuation(entries) ? historyOf(entries).at(-1) : undefined;
  return last?.role === 'assistant' && last.tool_calls === undefined;
}

function endsInContinuation(entries: readonly Entry[]): boolean {
  const last = entries.findLast(
    (entry) =>
      isContinuation(entry) ||
      (entry.type === 'assistant_output' && entry.data.isThinking !== true) ||
      ['user_input', 'tool_call', 'rewind'].includes(entry.type),
  );
  return last !== undefined && isContinuation(last);
}

/** Returns the answer, or a new one if it has no calls and another attempt follows, which supersedes it. */
function sameOrNext(answer: Answer | null): Answer {
  if (answer && !(answer.isOver && answer.calls.length === 0)) return answer;
  return { text: '', calls: [], hasResults: false, isOver: false, isContinued: false };
}

function joined(before: string, after: string): string {
  if (before === '' || after === '' || /\s$/.test(before) || /^\s/.test(after)) return before + after;
  return `${before}\n\n${after}`;
}

/** Adds words of the user. Some templates insist on alternating roles, so what a person sent in a row is one message. */
function addUser(messages: WireMessage[], content: string, images: readonly string[] = []): void {
  const last = messages.at(-1);
  if (last?.role !== 'user') messages.push({ role: 'user', content, ...(images.length > 0 && { images: [...images] }) });
  else {
    last.content = `${last.content}\n\n${content}`;
    if (images.length > 0) last.images = [...(last.images ?? []), ...images];
  }
}

/** Adds what a person sent, with the images that the model is shown: all of them or none. */
function addMessage(
  messages: WireMessage[],
  { content, data }: EntryOf<'user_input'>,
  { limit, images, told }: { limit: number; images: readonly string[]; told: Set<string> },
): void {
  const count = data.attachments.filter(({ image }) => image !== undefined).length;
  const isShown = images.length === count;
  const attachments = data.attachments.map((attachment) => (told.has(keyOf(attachment)) ? asBefore(attachment) : attachment));
  if (limit === Infinity) for (const attachment of data.attachments) if (isLong(attachment)) told.add(keyOf(attachment));
  const text = withAttachments(content, attachments, isShown);
  addUser(messages, shortenedText(text, limit), isShown ? images : []);
}

function addAnswer(
  messages: WireMessage[],
  { text, calls }: Answer,
  results: ReadonlyMap<string, Result>,
  { callsAsText = false }: HistoryForm,
): void {
  if (calls.length === 0) {
    if (text !== '') messages.push({ role: 'assistant', content: text });
    return;
  }
  // What cannot be read has no arguments to send, so it is told as it was written.
  if (callsAsText || calls.some(({ data }) => data.written !== undefined)) {
    const written = calls.map(({ data }) => data.written ?? printCall(data.name, data.input));
    const answers = calls.map(({ data }) => printResult(data.name, resultText(results.get(data.callId))));
    messages.push(...printedAnswer(text, written, answers));
    return;
  }
  const toolCalls = calls.map(({ data }) => ({ id: data.callId, function: { name: data.name, arguments: data.input } }));
  messages.push({ role: 'assistant', content: text, tool_calls: toolCalls });
  for (const { data } of calls) {
    const result = results.get(data.callId);
    messages.push({
      role: 'tool',
      content: resultText(result),
      tool_name: data.name,
      tool_call_id: data.callId,
      ...(result !== undefined && result.images.length > 0 && { images: [...result.images] }),
    });
  }
}

function withContent(entry: EntryOf<'tool_result'>, limitOf: (seq: number) => number): EntryOf<'tool_result'> {
  const content = sentResult(entry.content, limitOf(entry.seq));
  return content === entry.content ? entry : { ...entry, content };
}

function withInput(entry: EntryOf<'tool_call'>, limitOf: (seq: number) => number): EntryOf<'tool_call'> {
  const limit = limitOf(entry.seq);
  return limit === Infinity ? entry : { ...entry, data: { ...entry.data, input: shortenedInput(entry.data.input, limit) } };
}

function resultText(result: Result | undefined): string {
  if (!result) return interruptedCall;
  const { content, data } = result.entry;
  const hidden = (data.images?.length ?? 0) - result.images.length;
  const note = hidden > 0 ? `[${hidden} ${hidden === 1 ? 'image' : 'images'} of this result: not shown to you]` : '';
  if (content !== '') return note === '' ? content : `${content}\n${note}`;
  if (note !== '') return note;
  if (data.status === 'denied') return deniedCall;
  return data.status === 'cancelled' ? interruptedCall : '(no output)';
}

/**
 * Returns a message as the model reads it: what is attached, each in a fence of its own, and then the person's words. `showsImages`: the model is
 * given the images too, in their order.
 */
export function withAttachments(text: string, attachments: readonly Attachment[], showsImages = true): string {
  const told = attachments.filter(({ kind }) => kind !== 'agent');
  return [...told.map((attachment) => attachmentText(attachment, showsImages)), text].join('\n\n');
}

function attachmentText({ kind, path, startLine, endLine, content, image }: Attachment, showsImages: boolean): string {
  if (image !== undefined)
    return `Attached image: ${path} (${image.width} × ${image.height})${showsImages ? '' : ', not shown to you'}`;
  if (kind === 'editor') return `Open in the editor: ${path}${content === undefined ? '' : ` (${content})`}`;
  const lines = startLine === undefined ? '' : `, lines ${startLine} to ${endLine ?? startLine}`;
  const title = `Attached ${kind}: ${path}${lines}`;
  if (content === undefined) return `${title} (its text was not kept)`;
  const fence = '`'.repeat(Math.max(3, 1 + longestRun(content)));
  return `${title}\n${fence}\n${content}${content.endsWith('\n') ? '' : '\n'}${fence}`;
}

/** Tells whether an attachment is long enough for it to be worth telling where it stands. */
function isLong({ content = '' }: Attachment): boolean {
  return content.length >= 400;
}

function keyOf({ kind, path, startLine, endLine, content }: Attachment): string {
  return JSON.stringify([kind, path, startLine, endLine, content]);
}

function asBefore(attachment: Attachment): Attachment {
  return { ...attachment, content: '(The same as in the message above: nothing has changed.)' };
}

/** Returns the length of the longest run of backticks, so that no fence inside ends the one around the text. */
function longestRun(content: string): number {
  return (content.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}
