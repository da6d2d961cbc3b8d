import { parseArgs } from 'node:util';
import { visibleJson, visibleLine } from '../protocol/text/visibleText';
import { agentQuestion, approvalQuestion } from '../serve/questions/askedQuestion';
import { askForWords, askYesNo, tellQuestion } from '../serve/questions/askOnTerminal';
import { brokenInto } from '../serve/questions/questionRows';
import { ApiClient, ClientError, findAccess } from './apiClient';
import type { Terminal } from './personTerminal';

export const usage = `ollama-copilot: drives the sessions of an editor window through its local API

  ollama-copilot ask TEXT [--session ID]     asks, and prints the answer
  ollama-copilot run TEXT [--session ID]     lets the agent do it
  ollama-copilot sessions                    lists the sessions
  ollama-copilot export ID [--format F]      prints a session: markdown, json, jsonl or html
  ollama-copilot watch ID [--from N]         prints events as JSON lines; --from 0 from the beginning
  ollama-copilot serve FOLDER…               runs the agent without an editor; serve --help says how
  ollama-copilot acp [FOLDER…]               is an agent of the Agent Client Protocol, for editors that speak it

  --connect FILE   the api.json of the storage folder; without it OLLAMA_COPILOT_URL and OLLAMA_COPILOT_TOKEN say where the API is,
                   and OLLAMA_COPILOT_CLIENT_KEY proves which client this is
`;

/** Runs a command line; returns the exit code. */
export async function runCommand(args: readonly string[], terminal: Terminal): Promise<number> {
  try {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        connect: { type: 'string' },
        session: { type: 'string' },
        format: { type: 'string', default: 'markdown' },
        from: { type: 'string', default: '' },
        help: { type: 'boolean', short: 'h', default: false },
      },
    });
    const [command = 'help', ...rest] = positionals;
    if (values.help || command === 'help') {
      terminal.write(usage);
      return 0;
    }
    const client = new ApiClient(findAccess(values.connect, terminal.environment));
    const text = rest.join(' ');
    switch (command) {
      case 'ask':
      case 'run':
        return await converse(client, terminal, {
          text: needed(text, 'a text'),
          mode: command === 'ask' ? 'ask' : 'agent',
          session: values.session,
        });
      case 'sessions':
        return await listSessions(client, terminal);
      case 'export': {
        const path = `/api/dialogs/${encodeURIComponent(needed(text, 'a session'))}/export?format=${encodeURIComponent(values.format)}`;
        for await (const piece of await client.text(path)) terminal.writeDocument(piece);
        return 0;
      }
      case 'watch':
        for await (const event of client.events(needed(text, 'a session'), values.from, terminal.signal)) {
          terminal.write(`${visibleJson(event.data)}\n`);
        }
        return 0;
      default:
        throw new ClientError(`There is no command ${command}\n\n${usage}`);
    }
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    terminal.note(`${error.cause instanceof Error ? `${error.message}: ${error.cause.message}` : error.message}\n`);
    return 1;
  }
}

function needed(text: string, what: string): string {
  if (text === '') throw new ClientError(`Give ${what}.\n\n${usage}`);
  return text;
}

async function listSessions(client: ApiClient, terminal: Terminal): Promise<number> {
  const { dialogs } = await client.call<{ dialogs: { id: string; title: string; updated_at: string }[] }>('GET', '/api/dialogs');
  for (const { id, title, updated_at: updatedAt } of dialogs)
    terminal.write(`${id}  ${updatedAt}  ${visibleLine(title.replace(/\s+/g, ' '))}\n`);
  return 0;
}

async function converse(
  client: ApiClient,
  terminal: Terminal,
  { text, mode, session }: { text: string; mode: 'ask' | 'agent'; session: string | undefined },
): Promise<number> {
  const made =
    session === undefined ? await client.call<{ id: string }>('POST', '/api/dialogs', { title: text.slice(0, 60), mode }) : null;
  const dialog = session ?? made?.id ?? '';
  const stop = new AbortController();
  const events = client.events(dialog, session === undefined ? '0' : '', AbortSignal.any([stop.signal, terminal.signal]));
  // The stream is open before the message is sent, so that nothing of the answer is missed.
  let next = events.next();
  await client.call('POST', `/api/dialogs/${encodeURIComponent(dialog)}/messages`, { content: text, mode });
  for (;;) {
    const { value: event, done } = await next;
    if (done === true || event === undefined) return 1;
    const { data } = event;
    if (event.type === 'chat') terminal.write(String(data.content));
    else if (event.type === 'tool_call' && data.status === 'running') noteCall(terminal, data);
    else if (event.type === 'error') terminal.note(`\n${String(data.error)}\n`);
    else if (event.type === 'approval' && data.phase === 'requested') await decide(client, terminal, dialog, data);
    else if (event.type === 'question' && data.phase === 'asked') await answer(client, terminal, dialog, data);
    else if (event.type === 'done') {
      terminal.write('\n');
      stop.abort();
      return data.outcome === 'done' ? 0 : 1;
    }
    next = events.next();
  }
}

/** Says what the agent does, in rows that the terminal does not break. */
function noteCall(terminal: Terminal, { name, args }: Record<string, unknown>): void {
  const rows = brokenInto(visibleLine(`${String(name)} ${JSON.stringify(args)}`), terminal.size().columns - 4);
  terminal.note(`\n· ${rows.join('\n  ┊ ')}\n`);
}

/** Asks on the terminal; where nobody is there, the editor asks. */
async function decide(client: ApiClient, terminal: Terminal, dialog: string, data: Record<string, unknown>): Promise<void> {
  const question = approvalQuestion(data);
  if (terminal.askText === null) tellQuestion(terminal, question, inEditor);
  else await tell(client, terminal, dialog, ['approvals', data.approval], { approve: await askYesNo(terminal, question) });
}

/** Has a question of the agent answered on the terminal; a form, and what nobody there can answer, is answered in the editor. */
async function answer(client: ApiClient, terminal: Terminal, dialog: string, data: Record<string, unknown>): Promise<void> {
  const question = agentQuestion(String(data.content), Array.isArray(data.options) ? data.options.map(String) : []);
  if (terminal.askText === null || data.fields !== undefined) tellQuestion(terminal, question, inEditor);
  else await tell(client, terminal, dialog, ['questions', data.question], { answer: await askForWords(terminal, question) });
}

const inEditor = 'Answer in the editor.';

async function tell(client: ApiClient, terminal: Terminal, dialog: string, at: [string, unknown], body: unknown): Promise<void> {
  const path = ['/api/dialogs', encodeURIComponent(dialog), at[0], encodeURIComponent(String(at[1]))].join('/');
  await client
    .call('POST', path, body)
    .catch((error: unknown) => terminal.note(`${error instanceof Error ? error.message : ''}\n`));
}
