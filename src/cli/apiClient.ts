import { randomBytes } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** Address and token of a local API, and who calls it. */
export interface Access {
  url: string;
  token: string;
  /** Default: the name of the command. */
  client?: string;
  /** Key that proves to the API that this is the client that was allowed. */
  key?: string;
}

export interface StreamedEvent {
  type: string;
  id: string;
  data: Record<string, unknown>;
}

/** The API refused, or said that it failed. */
export class ClientError extends Error {}

/**
 * Finds the API: `--connect FILE` names its `api.json`, or the file of one client, else the environment says where it is. The key of this
 * command is beside that file, and is made there where it is none.
 */
export function findAccess(file: string | undefined, environment: NodeJS.ProcessEnv): Access {
  if (file !== undefined) {
    const access = JSON.parse(readFileSync(file, 'utf8')) as Access;
    return access.key === undefined ? { ...access, key: ownKey(path.join(path.dirname(file), ownFile)) } : access;
  }
  const { OLLAMA_COPILOT_URL: url, OLLAMA_COPILOT_TOKEN: token, OLLAMA_COPILOT_CLIENT_KEY: key } = environment;
  if (url && token) return { url, token, key: key || newKey() };
  throw new ClientError(
    'Start the local API in the editor, choose “Copy Access”, and paste it here; or name its api.json with --connect.',
  );
}

const ownName = 'ollama-copilot';
const ownFile = `api.${ownName}.json`;

function newKey(): string {
  return randomBytes(32).toString('base64url');
}

/** Returns the key in a file that only its owner can read, made where there is none. */
function ownKey(file: string): string {
  const key = newKey();
  try {
    writeFileSync(file, `${JSON.stringify({ client: ownName, key })}\n`, { mode: 0o600, flag: 'wx' });
    return key;
  } catch {
    // It is there, or cannot be: then a key serves this command alone.
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

/** Calls the local API under the name of the command. */
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

  /** Yields the events of a dialog from an id on, and goes on from the last one where the connection is lost. */
  async *events(dialog: string, from: string, signal: AbortSignal): AsyncGenerator<StreamedEvent, void> {
    let last = from;
    while (!signal.aborted) {
      const path = `/api/dialogs/${encodeURIComponent(dialog)}/events`;
      const { body } = await this.fetch(path, { headers: { 'Last-Event-ID': last }, signal });
      try {
        let rest = '';
        for await (const piece of decoded(body)) {
          rest += piece;
          const blocks = rest.split('\n\n');
          rest = blocks.pop() ?? '';
          for (const block of blocks) {
            const event = eventOf(block);
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

  private async fetch(path: string, { headers, ...init }: RequestInit): Promise<Response> {
    const { token, client = ownName, key } = this.access;
    const own = { Authorization: `Bearer ${token}`, 'X-Client': client, ...(key !== undefined && { 'X-Client-Key': key }) };
    const response = await fetch(`${this.access.url}${path}`, {
      ...init,
      headers: { ...own, ...(headers as Record<string, string>) },
    });
    if (response.ok) return response;
    const { error } = (await response.json().catch(() => ({}))) as { error?: { message?: string } };
    throw new ClientError(error?.message ?? `The API answered ${response.status}`);
  }
}

/** Decodes a body piece by piece. A character that is cut between two pieces comes whole. */
async function* decoded(body: ReadableStream<Uint8Array> | null): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const piece of (body ?? []) as AsyncIterable<Uint8Array>) yield decoder.decode(piece, { stream: true });
  yield decoder.decode();
}

/** Reads one event; null for a line that only keeps the connection. */
function eventOf(block: string): StreamedEvent | null {
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
