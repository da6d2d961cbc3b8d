import { callTool } from '../types/loadedTools';
import type { WireMessage } from '../types/ollama';
import { replacedNote, restoredNote, UndoneChanges } from './changeNotes';
import { activeMarker, isCompacted } from './context/compaction';
import { sentImages } from './context/sentImages';
import { isContinuation, joinContinued } from './continuation';
import type { Entry, EntryOf, Attachment } from './entries';
import { printCall, printedAnswer, printResult } from './printedCalls';
import { messageLimits, sendingLimits, sentResult, shortenedInput, shortenedText } from './context/shortening';
import { selectPrompted } from './reducer/promptedEntries';
import { replacedMessages } from './reducer/replacedMessages';

const interruptedCall = 'Interrupted: this call was not run to its end and has no result.';
const continueRequest =
  'Your last answer was cut off. Continue it exactly where it stopped, beginning with the very next character. ' +
  'Do not repeat any of it, do not start again and do not comment on the break.';
const deniedCall = 'The user declined this call. It was not run.';

export interface HistoryOptions {
  /** True for a model without tool support. Calls are then part of the answer text, and results are user messages. */
  callsAsText?: boolean;
  /** Returns an image in base64, or undefined if the model does not receive it. Without this function, no images are sent. */
  images?: (hash: string) => string | undefined;
  /**
   * Names of the tools that the request declares. A call of any other tool is
   * sent as a call of `call_tool`. If undefined, all calls are sent unchanged.
   */
  declared?: ReadonlySet<string>;
}

/** Result as sent to the model, with its images. */
interface Result {
  entry: EntryOf<'tool_result'>;
  images: readonly string[];
}

interface Answer {
  text: string;
  calls: EntryOf<'tool_call'>[];
  hasResults: boolean;
  /** True if the run has ended. Any further text is then another attempt. */
  isOver: boolean;
  /** True if the answer was interrupted and the next text continues it. */
  isContinued: boolean;
}

/**
 * Converts entries in `seq` order to messages for the model, without the system prompt. Every call gets exactly one
 * result. Omits reasoning, errors and notices. A summary replaces compacted entries. Notices in the log set
 * the limits for long results. The same entries always give the same messages, so that the prompt cache stays valid.
 */
export function buildHistory(entries: readonly Entry[], form: HistoryOptions = {}): WireMessage[] {
  const conversation = selectPrompted(entries);
  const marker = activeMarker(conversation);
  const messages: WireMessage[] = [];
  if (marker) addUser(messages, `Summary of the conversation so far:\n${marker.data.summary}`);

  const limitOf = sendingLimits(conversation);
  const messageLimitOf = messageLimits(conversation);
  const images = sentImages(conversation);
  const listShown = (seq: number): string[] => (images.get(seq) ?? []).flatMap(({ hash }) => form.images?.(hash) ?? []);
  const results = new Map<string, Result>();
  for (const entry of conversation)
    if (entry.type === 'tool_result')
      results.set(entry.data.callId, {
        entry: withContent(entry, limitOf),
        images: form.callsAsText === true ? [] : listShown(entry.seq),
      });

  let answer: Answer | null = null;
  const flush = (): void => {
    if (answer) addAnswer(messages, answer, results, form);
    answer = null;
  };
  /** Attachments that an earlier message already contains. */
  const sentAttachments = new Set<string>();
  const undone = new UndoneChanges();
  const replaced = replacedMessages(entries, true);
  const reportChanges = (): void => {
    flush();
    addNote(messages, undone.takeNote());
  };
  for (const entry of conversation) {
    if (entry.type === 'review') undone.note(entry);
    // The summary covers everything up to its end, so drop the notes about earlier changes.
    if (marker && entry.seq <= marker.data.throughSeq && entry.type === 'user_input') undone.takeNote();
    if (isCompacted(entry, marker)) continue;
    switch (entry.type) {
      case 'user_input':
        reportChanges();
        addNote(messages, replacedNote(replaced.get(entry.seq)?.paths ?? []));
        addMessage(messages, entry, { limit: messageLimitOf(entry.seq), images: listShown(entry.seq), told: sentAttachments });
        break;
      case 'assistant_output':
        if (entry.data.isThinking === true) break;
        if (answer && answer.calls.length > 0) reportChanges();
        answer = sameOrNext(answer);
        answer.text = answer.isContinued ? joinContinued(answer.text, entry.content) : joined(answer.text, entry.content);
        answer.isContinued = false;
        break;
      case 'tool_call':
        if (answer && (answer.hasResults || (answer.isOver && answer.calls.length > 0))) reportChanges();
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
  // Add notes only after tool results, before the next answer. An answer without calls can still be retried or continued.
  if (answer?.hasResults === true) reportChanges();
  else flush();
  return messages;
}

/**
 * Returns the messages for another answer. The last message is never an answer: a server would
 * treat it as the start of the new answer, and reject it when thinking is enabled. For a
 * retry, removes a partial answer. To continue a partial answer, appends a request to do so.
 */
export function historyForNextAnswer(entries: readonly Entry[], form: HistoryOptions = {}): WireMessage[] {
  const messages = buildHistory(entries, form);
  if (endsInContinuation(entries) && messages.at(-1)?.role === 'assistant') addUser(messages, continueRequest);
  while (messages.at(-1)?.role === 'assistant' && messages.at(-1)?.tool_calls === undefined) messages.pop();
  return messages;
}

/** Returns true if the model is to continue a partial answer and has not written anything yet. */
export function isContinuing(entries: readonly Entry[]): boolean {
  const last = endsInContinuation(entries) ? buildHistory(entries).at(-1) : undefined;
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

/** Returns the current answer, or a new answer if another attempt replaces an answer without calls. */
function sameOrNext(answer: Answer | null): Answer {
  if (answer && !(answer.isOver && answer.calls.length === 0)) return answer;
  return { text: '', calls: [], hasResults: false, isOver: false, isContinued: false };
}

function joined(before: string, after: string): string {
  if (before === '' || after === '' || /\s$/.test(before) || /^\s/.test(after)) return before + after;
  return `${before}\n\n${after}`;
}

function addNote(messages: WireMessage[], note: string | undefined): void {
  if (note !== undefined) addUser(messages, note);
}

/** Adds a user message. Joins consecutive user messages, because some templates require alternating roles. */
function addUser(messages: WireMessage[], content: string, images: readonly string[] = []): void {
  const last = messages.at(-1);
  if (last?.role !== 'user') messages.push({ role: 'user', content, ...(images.length > 0 && { images: [...images] }) });
  else {
    last.content = `${last.content}\n\n${content}`;
    if (images.length > 0) last.images = [...(last.images ?? []), ...images];
  }
}

/** Adds a user message with all of its images, or with none. */
function addMessage(
  messages: WireMessage[],
  { content, data }: EntryOf<'user_input'>,
  { limit, images, told }: { limit: number; images: readonly string[]; told: Set<string> },
): void {
  const count = data.attachments.filter(({ image }) => image !== undefined).length;
  const isShown = images.length === count;
  const attachments = data.attachments.map((attachment) =>
    told.has(createKey(attachment)) ? asReference(attachment) : attachment,
  );
  if (limit === Infinity) for (const attachment of data.attachments) if (isLong(attachment)) told.add(createKey(attachment));
  const text = withAttachments(content, attachments, isShown);
  addUser(messages, shortenedText(text, limit), isShown ? images : []);
}

function addAnswer(
  messages: WireMessage[],
  { text, calls }: Answer,
  results: ReadonlyMap<string, Result>,
  { callsAsText = false, declared }: HistoryOptions,
): void {
  if (calls.length === 0) {
    if (text !== '') messages.push({ role: 'assistant', content: text });
    return;
  }
  const sent = (data: EntryOf<'tool_call'>['data']): { name: string; input: Record<string, unknown> } =>
    (declared?.has(data.name) ?? true) ? data : { name: callTool, input: { name: data.name, arguments: data.input } };
  // A call that cannot be parsed has no arguments, so send it as text.
  if (callsAsText || calls.some(({ data }) => data.written !== undefined)) {
    const written = calls.map(({ data }) => data.written ?? printCall(sent(data).name, sent(data).input));
    const answers = calls.map(({ data }) => printResult(sent(data).name, resultText(results.get(data.callId))));
    messages.push(...printedAnswer(text, written, answers));
    return;
  }
  const toolCalls = calls.map(({ data }) => ({
    id: data.callId,
    function: { name: sent(data).name, arguments: sent(data).input },
  }));
  messages.push({ role: 'assistant', content: text, tool_calls: toolCalls });
  for (const { data } of calls) {
    const result = results.get(data.callId);
    messages.push({
      role: 'tool',
      content: resultText(result),
      tool_name: sent(data).name,
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
 * Formats a user message for the model: each attachment in a separate code fence,
 * then the user's text. `showsImages` is true if the images are also sent.
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

/** Returns true if an attachment is long enough to be replaced with a reference to an earlier message. */
function isLong({ content = '' }: Attachment): boolean {
  return content.length >= 400;
}

function createKey({ kind, path, startLine, endLine, content }: Attachment): string {
  return JSON.stringify([kind, path, startLine, endLine, content]);
}

function asReference(attachment: Attachment): Attachment {
  return { ...attachment, content: '(The same as in the message above: nothing has changed.)' };
}

/** Returns the length of the longest sequence of backticks, so that a longer fence can enclose the text. */
function longestRun(content: string): number {
  return (content.match(/`+/g) ?? []).reduce((longest, run) => Math.max(longest, run.length), 0);
}
