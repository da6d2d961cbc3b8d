import path from 'node:path';
import { EventSource } from 'eventsource';
import { WebSocket } from 'ws';
import { ApiServer } from '../../../src/api/apiServer';
import type { ApiHost, ApiScope } from '../../../src/api/apiPorts';
import { findExportFormat, withoutSecrets } from '../../../src/services/export/exportNames';
import { SessionExporter } from '../../../src/services/export/sessionExporter';
import { databaseFileName } from '../../../src/services/database/sqlite/databaseFile';
import { SessionImporter } from '../../../src/services/import/sessionImporter';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger, type Logger } from '../../../src/utils/logger';
import { AgentBench } from '../agent/support/agentBench';
import { serveWorkers } from '../serve/support';
import type { BenchOptions } from '../agent/support/agentBenchOptions';

export interface Told {
  type: string;
  id: string;
  data: Record<string, unknown>;
}

/** The API on a complete agent, for tests with third-party clients. */
export class ApiBench {
  /** Questions for the user, and the answers: milliseconds, or null to decline. */
  readonly asked: string[] = [];
  allows: number | null = 3_600_000;
  allowsFolder = true;
  hasPerson = true;
  current: string | null = null;
  private readonly open: { close(): void }[] = [];

  private constructor(
    readonly agent: AgentBench,
    public server: ApiServer,
  ) {}

  static async start(options: BenchOptions = {}, logger: Logger = silentLogger): Promise<ApiBench> {
    const agent = await AgentBench.start({ hasCheckpoints: true, ...options });
    const bench = new ApiBench(agent, undefined as unknown as ApiServer);
    const importer = new SessionImporter({
      file: path.join(agent.storageFolder(), databaseFileName),
      workerPath: serveWorkers.importer,
      wasmPath: serveWorkers.wasm,
      logger,
      onDamage: () => undefined,
      onImported: () => agent.database.noteImport(),
    });
    const host: ApiHost = {
      currentSession: () => bench.current,
      hasPerson: () => bench.hasPerson,
      modelFor: () => 'worker',
      askForClient: async (client, scope: ApiScope) => {
        bench.asked.push(`${client} ${scope}`);
        return bench.allows;
      },
      askForFolder: async (client, folder) => {
        bench.asked.push(`${client} ${path.basename(folder)}`);
        return bench.allowsFolder;
      },
      exportSession: (id, format) =>
        new SessionExporter(
          agent.database,
          () => () => false,
          () => 0,
        ).pieces(id, {
          format: findExportFormat(format),
          options: withoutSecrets,
        }),
      importSessions: (paths) => importer.import(paths, () => undefined, new AbortController().signal),
      folders: () => [{ name: 'project', path: agent.folders.workspace }],
      clock: systemClock,
      logger,
    };
    bench.server = await ApiServer.start(agent, host, { port: 0, folder: agent.storageFolder(), version: '1.0.0' });
    return bench;
  }

  get port(): number {
    return Number(new URL(this.server.url).port);
  }

  headers(more: Record<string, string> = {}): Record<string, string> {
    return { Authorization: `Bearer ${this.server.token}`, 'X-Client': 'script', 'X-Client-Key': 'k'.repeat(43), ...more };
  }

  async call(method: string, at: string, body?: unknown, headers: Record<string, string> = this.headers()) {
    const sent = body === undefined ? {} : { body: JSON.stringify(body) };
    const response = await fetch(`${this.server.url}${at}`, {
      method,
      headers: { ...headers, ...(body !== undefined && { 'Content-Type': 'application/json' }) },
      ...sent,
    });
    return { status: response.status, body: (await response.json()) as never as Record<string, never> };
  }

  /** Makes a call and throws if it fails. */
  async ok<T = Record<string, unknown>>(method: string, at: string, body?: unknown): Promise<T> {
    const answer = await this.call(method, at, body);
    if (answer.status !== 200) throw new Error(`${method} ${at}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body as T;
  }

  /** Follows a dialog from an id, or from now on. Resolves when it is connected. */
  async follow(dialog: string, from?: string): Promise<{ told: Told[]; close(): void }> {
    const told: Told[] = [];
    const source = new EventSource(`${this.server.url}/api/dialogs/${dialog}/events`, {
      fetch: (url, init) =>
        fetch(url, {
          ...init,
          headers: { ...init.headers, ...this.headers(from === undefined ? {} : { 'Last-Event-ID': from }) },
        }),
    });
    this.open.push(source);
    const types = [
      'user',
      'chat',
      'reasoning',
      'tool_call',
      'file_edit',
      'done',
      'approval',
      'question',
      'review',
      'restore',
      'queue',
      'command',
    ];
    for (const type of types) {
      source.addEventListener(type, (event) => {
        told.push({ type, id: event.lastEventId, data: JSON.parse(event.data as string) as Record<string, unknown> });
      });
    }
    await new Promise<void>((resolve, reject) => {
      source.onopen = () => resolve();
      source.onerror = (event) => reject(new Error(event.message ?? 'closed'));
    });
    source.onerror = null;
    return { told, close: () => source.close() };
  }

  async socket(
    headers: Record<string, string> = this.headers(),
  ): Promise<{ socket: WebSocket; ask: (type: string, params?: unknown) => Promise<unknown> }> {
    const socket = new WebSocket(`${this.server.url.replace('http', 'ws')}/ws`, { headers });
    this.open.push(socket);
    await new Promise<void>((resolve, reject) => {
      socket.once('open', () => resolve());
      socket.once('error', reject);
    });
    let count = 0;
    const waiting = new Map<number, (answer: { result?: unknown; error?: unknown }) => void>();
    socket.on('message', (data: Buffer) => {
      const answer = JSON.parse(data.toString()) as { id: number; result?: unknown; error?: unknown };
      waiting.get(answer.id)?.(answer);
    });
    const ask = async (type: string, params?: unknown): Promise<unknown> => {
      const id = (count += 1);
      const answered = new Promise<{ result?: unknown; error?: unknown }>((resolve) => waiting.set(id, resolve));
      socket.send(JSON.stringify({ id, type, params }));
      const { result, error } = await answered;
      return error === undefined ? result : { error };
    };
    return { socket, ask };
  }

  async stop(): Promise<void> {
    for (const one of this.open) one.close();
    await this.server.dispose();
    await this.agent.stop();
  }
}

/** Joins the text of a stream as a client does. */
export function textOf(told: readonly Told[], type: string): string {
  return told
    .filter((event) => event.type === type)
    .map(({ data }) => String(data.content))
    .join('');
}
