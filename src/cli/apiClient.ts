import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { network } from '../services/network/network';
import { CliError, exitCodes, type ExitCode } from './exitCodes';

/** Address, token and identity for calls to a local API. */
export interface Access {
  url: string;
  token: string;
  /** Name of the client. By default, the name of the command. */
  client?: string;
  /** Key that proves the client's identity. */
  key?: string;
}

export interface StreamedEvent {
  type: string;
  id: string;
  data: Record<string, unknown>;
}

/**
 * Finds the API. `--connect FILE` names `api.json` or the key file of a client. Without it, uses
 * environment variables, then the default folder of `serve`. The key of this command is stored next to the
 * file, and created if missing. Throws `CliError`.
 */
export function findAccess(file: string | undefined, environment: NodeJS.ProcessEnv): Access {
  if (file !== undefined) return accessIn(file);
  const { OLLAMA_COPILOT_URL: url, OLLAMA_COPILOT_TOKEN: token, OLLAMA_COPILOT_CLIENT_KEY: key } = environment;
  if (url && token) return { url, token, key: key || newKey() };
  const served = path.join(environment['HOME'] ?? homedir(), '.ollama-copilot', 'api.json');
  if (existsSync(served)) return accessIn(served);
  throw unreachable(
    'No server found. Start “ollama-copilot serve”, or the local API in the editor, and pass --connect with the path of api.json.',
  );
}

function accessIn(file: string): Access {
  try {
    const access = JSON.parse(readFileSync(file, 'utf8')) as Access;
    return access.key === undefined ? { ...access, key: ownKey(path.join(path.dirname(file), ownFile)) } : access;
  } catch (error) {
    throw unreachable(`Could not read ${file}. Check that the server runs: ${readMessage(error)}`);
  }
}

const ownName = 'ollama-copilot';
const ownFile = `api.${ownName}.json`;

function newKey(): string {
  return randomBytes(32).toString('base64url');
}

/** Reads the key from a file that only its owner can read. Creates the key if it is missing. */
function ownKey(file: string): string {
  const key = newKey();
  try {
    writeFileSync(file, `${JSON.stringify({ client: ownName, key })}\n`, { mode: 0o600, flag: 'wx' });
    return key;
  } catch {
    // The file exists or cannot be created. If it cannot be created, the key is only used for this command.
    return keyIn(file) ?? key;
  }
}

function keyIn(file: string): string | undefined {
  try {
    return (JSON.parse(readFileSync(file, 'utf8')) as Partial<Access>).key;
  } catch {
    return undefined;
  }
}

export class ApiClient {
  constructor(private readonly access: Access) {}

  async call<T>(method: 'GET' | 'POST', path: string, body?: unknown): Promise<T> {
    const response = await this.fetch(path, {
      method,
      ...(body !== undefined && { body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } }),
    });
    return (await response.json()) as T;
  }

  async text(path: string): Promise<AsyncIterable<string>> {
    const { body } = await this.fetch(path, {});
    return decoded(body);
  }

  /**
   * Opens the stream of a dialog's events after an ID. An empty ID means from now on. Resolves when the server has
   * accepted the request, so that no later event is missed. If the connection is lost, reconnects after the last
   * event. Throws `CliError` if the server stays unreachable.
   */
  async events(dialog: string, from: string, signal: AbortSignal): Promise<AsyncGenerator<StreamedEvent, void>> {
    const connect = (last: string) =>
      this.fetch(`/api/dialogs/${encodeURIComponent(dialog)}/events`, { headers: { 'Last-Event-ID': last }, signal });
    return this.follow(connect, await connect(from), from, signal);
  }

  private async *follow(
    connect: (last: string) => Promise<Response>,
    first: Response,
    from: string,
    signal: AbortSignal,
  ): AsyncGenerator<StreamedEvent, void> {
    let last = from;
    for (let next: Response | null = first; next !== null; next = await this.again(() => connect(last), signal)) {
      const { body } = next;
      try {
        let rest = '';
        for await (const piece of decoded(body)) {
          rest += piece;
          const blocks = rest.split('\n\n');
          rest = blocks.pop() ?? '';
          for (const block of blocks) {
            const event = parseEvent(block);
            if (event === null) continue;
            last = event.id;
            yield event;
          }
        }
      } catch (error) {
        if (signal.aborted) return;
        if (!(error instanceof TypeError)) throw error;
      }
    }
  }

  /** Reconnects after a lost connection. Resolves with null once the signal aborts. */
  private async again(connect: () => Promise<Response>, signal: AbortSignal): Promise<Response | null> {
    for (const pauseMs of [...pausesMs, null]) {
      if (signal.aborted) return null;
      try {
        return await connect();
      } catch (error) {
        if (signal.aborted) return null;
        if (pauseMs === null || !(error instanceof CliError) || error.exitCode !== exitCodes.unreachable) throw error;
        await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      }
    }
    return null;
  }

  private async fetch(path: string, { headers, ...init }: RequestInit): Promise<Response> {
    const { token, client = ownName, key } = this.access;
    const own = { Authorization: `Bearer ${token}`, 'X-Client': client, ...(key !== undefined && { 'X-Client-Key': key }) };
    const sent = { ...init, headers: { ...own, ...(headers as Record<string, string>) } };
    const response = await ask(`${this.access.url}${path}`, sent).catch((error: unknown) => {
      const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
      throw unreachable(`Could not reach the server at ${this.access.url}: ${readMessage(cause)}`, error);
    });
    if (response.ok) return response;
    const { error } = (await response.json().catch(() => ({}))) as { error?: { code?: string; message?: string } };
    const code = error?.code ?? `HTTP_${response.status}`;
    const message = error?.message ?? `The server answered with HTTP ${response.status}.`;
    throw new CliError(message, codes[code] ?? exitCodes.failed, code);
  }
}

const ask = network.fetch(({ method }) => ({ purpose: 'cli', detail: method }));

/** Delays before each attempt to reconnect, in milliseconds. */
const pausesMs = [100, 300, 900];

const codes: Partial<Record<string, ExitCode>> = {
  INVALID: exitCodes.usage,
  NOT_FOUND: exitCodes.notFound,
  NOT_ALLOWED: exitCodes.notAllowed,
  FORBIDDEN: exitCodes.notAllowed,
  // The server creates a new token at each start.
  UNAUTHORIZED: exitCodes.unreachable,
};

function unreachable(message: string, cause?: unknown): CliError {
  return new CliError(message, exitCodes.unreachable, 'UNREACHABLE', { cause });
}

function readMessage(error: unknown): string {
  const text = error instanceof AggregateError ? String(error.errors[0]) : error instanceof Error ? error.message : String(error);
  return text.split('\n')[0] ?? '';
}

/** Decodes a body in chunks. Handles characters that are split between chunks. */
async function* decoded(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) yield decoder.decode(piece, { stream: true });
  yield decoder.decode();
}

/** Parses an event. Returns null for a heartbeat. */
function parseEvent(block: string): StreamedEvent | null {
  const fields = new Map(
    block.split('\n').map((line) => {
      const at = line.indexOf(': ');
      return [line.slice(0, at), line.slice(at + 2)] as const;
    }),
  );
  const data = fields.get('data');
  if (data === undefined) return null;
  return {
    type: fields.get('event') ?? 'message',
    id: fields.get('id') ?? '',
    data: JSON.parse(data) as Record<string, unknown>,
  };
}
