import { setTimeout as sleep } from 'node:timers/promises';
import { visibleLine } from '../protocol/text/visibleText';
import { brokenInto } from '../serve/questions/questionRows';
import type { ApiClient, StreamedEvent } from './apiClient';
import { exitCodes, signalCode, type ExitCode } from './exitCodes';
import { OpenRequests, type AnswerRules } from './openRequests';
import type { Terminal } from './personTerminal';
import { cutHead } from '../types/cutText';

export interface Conversation extends AnswerRules {
  /** Message to send. Null continues the last run of the session. */
  text: string | null;
  mode: 'ask' | 'agent';
  session: string | undefined;
  model: string | undefined;
  timeoutMs: number | undefined;
  isJson: boolean;
}

interface Sent {
  status: 'started' | 'queued';
  answers?: 'person' | 'clients';
  behind?: readonly Ahead[];
}

interface Ahead {
  title: string;
  state: string;
}

/** Time for a stopped run to end, in milliseconds. */
const stopGraceMs = 5_000;

/**
 * Sends a message, or continues a run, and prints the answer. Resolves with the exit code when the run
 * ends or is stopped by a signal or the time limit.
 */
export async function converse(client: ApiClient, terminal: Terminal, conversation: Conversation): Promise<ExitCode> {
  const { text, mode, model, session, timeoutMs, isJson, policy } = conversation;
  const dialog =
    session ?? (await client.call<{ id: string }>('POST', '/api/dialogs', { title: cutHead(text ?? '', 60), mode })).id;
  const at = `/api/dialogs/${encodeURIComponent(dialog)}`;
  const closing = new AbortController();
  const events = await client.events(dialog, session === undefined ? '0' : '', closing.signal);
  const requests = new OpenRequests(client, terminal, dialog, conversation);
  const shown = { text: '', error: null as string | null };
  /** Exit code of a run that ends early. */
  let early: ExitCode | null = null;
  const end = (code: ExitCode): void => {
    if (early !== null) return;
    early = code;
    requests.dispose();
    const stopped = client.call('POST', `${at}/stop`).catch(() => closing.abort());
    void Promise.all([stopped, sleep(stopGraceMs, undefined, { ref: false })]).then(() => closing.abort());
  };
  const onSignal = (): void => end(signalCode(terminal.signal.reason));
  const timer = timeoutMs === undefined ? undefined : setTimeout(() => end(exitCodes.timeout), timeoutMs);
  try {
    if (terminal.signal.aborted) onSignal();
    terminal.signal.addEventListener('abort', onSignal, { once: true });
    const sent = await client.call<Sent>('POST', text === null ? `${at}/continue` : `${at}/messages`, {
      ...(text !== null && { content: text, mode }),
      ...(model !== undefined && { model }),
      ...(policy !== undefined && { sandbox: policy === 'sandbox' }),
    });
    requests.isPersonThere = sent.answers !== 'clients';
    if (sent.behind) noteLine(terminal, sent.behind);
    const isAlone = text === null || session === undefined;
    const outcome = await follow(events, isAlone ? null : text, (event) => show(event, { terminal, requests, shown, isJson }));
    if (early === null && outcome !== null) await requests.settled();
    const code = early ?? chooseExitCode(outcome, requests);
    if (isJson) terminal.write(`${JSON.stringify(createResult(dialog, outcome, code, shown, requests))}\n`);
    else if (outcome !== null) terminal.write('\n');
    return code;
  } finally {
    clearTimeout(timer);
    terminal.signal.removeEventListener('abort', onSignal);
    requests.dispose();
    closing.abort();
  }
}

/**
 * Forwards the events of the run that answers the message. Resolves with its outcome, or with null if the
 * stream was closed first. `message` is the text to wait for, because earlier events belong to another run
 * of the dialog. It is null if there is no other run.
 */
async function follow(
  events: AsyncIterable<StreamedEvent>,
  message: string | null,
  show: (event: StreamedEvent) => void,
): Promise<string | null> {
  let isOwn = message === null;
  for await (const event of events) {
    if (event.type === 'user' && event.data['content'] === message) isOwn = true;
    else if (isOwn || event.type === 'queue') show(event);
    if (isOwn && event.type === 'done') return String(event.data['outcome']);
  }
  return null;
}

interface Showing {
  terminal: Terminal;
  requests: OpenRequests;
  shown: { text: string; error: string | null };
  isJson: boolean;
}

function show({ type, data }: StreamedEvent, { terminal, requests, shown, isJson }: Showing): void {
  switch (type) {
    case 'chat':
      shown.text += String(data['content']);
      if (!isJson) terminal.write(String(data['content']));
      break;
    case 'tool_call':
      if (data['status'] === 'running' && !isJson) noteCall(terminal, data);
      break;
    case 'error':
      shown.error = String(data['error']);
      if (!isJson) terminal.note(`\n${shown.error}\n`);
      break;
    case 'approval':
    case 'question':
      requests.take(type, data);
      break;
    case 'queue':
      if (Array.isArray(data['behind']) && data['behind'].length > 0) noteLine(terminal, data['behind'] as Ahead[]);
  }
}

function chooseExitCode(outcome: string | null, { refused }: OpenRequests): ExitCode {
  if (outcome !== 'done') return exitCodes.failed;
  return refused.length > 0 ? exitCodes.refused : exitCodes.done;
}

function createResult(
  session: string,
  outcome: string | null,
  code: ExitCode,
  shown: Showing['shown'],
  { refused }: OpenRequests,
) {
  return { session, outcome, exit_code: code, text: shown.text, ...(shown.error !== null && { error: shown.error }), refused };
}

/** Shows which runs a queued run waits for. */
function noteLine(terminal: Terminal, behind: readonly Ahead[]): void {
  const names = behind.map(({ title, state }) => `“${visibleLine(title)}” (${state.replaceAll('_', ' ')})`);
  terminal.note(`Queued behind ${names.join(', ')}.\n`);
}

/** Shows a tool call in rows that the terminal does not wrap. */
function noteCall(terminal: Terminal, { name, args }: Record<string, unknown>): void {
  const rows = brokenInto(visibleLine(`${String(name)} ${JSON.stringify(args)}`), terminal.size().columns - 4);
  terminal.note(`\n· ${rows.join('\n  ┊ ')}\n`);
}
