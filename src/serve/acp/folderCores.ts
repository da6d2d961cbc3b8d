import path from 'node:path';
import type { McpServer } from '@agentclientprotocol/sdk';
import { systemClock } from '../../utils/clock';
import type { Logger } from '../../utils/logger';
import { withTimeout } from '../../utils/withTimeout';
import type { HeadlessCore } from '../headlessCore';
import { ClientServers, type ClientServerAnswers } from './clientServers';

export interface NamedFolder {
  name: string;
  path: string;
}

/** Open folder, with the servers of the client. */
export interface OpenFolder {
  readonly folder: string;
  readonly core: HeadlessCore;
  readonly servers: ClientServers | null;
}

/** Opens a core. If `folder` is null, the core has no folder. The servers end together with the core. */
export type OpenCore = (folder: NamedFolder | null, servers: ClientServers['tools'] | undefined) => Promise<HeadlessCore>;

interface Held {
  opening: Promise<HeadlessCore>;
  servers: ClientServers | null;
  users: number;
}

/**
 * Maximum time to wait for the list of models, in milliseconds. If the list arrives
 * later, the client receives it as an update.
 */
const modelsMs = 3_000;

/** Manages one core for each folder and set of servers. All cores use the same storage. */
export class FolderCores {
  private readonly held = new Map<string, Held>();
  private readonly answers: ClientServerAnswers = new Map();

  constructor(
    private readonly open: OpenCore,
    private readonly logger: Logger,
  ) {}

  /** Opens a folder for one session. Call `release` when the session ends. */
  async take(folder: string, given: readonly McpServer[]): Promise<OpenFolder> {
    const key = createKey(folder, given);
    const known = this.held.get(key);
    const held = known ?? this.hold(key, folder, given);
    held.users += 1;
    const core = await held.opening;
    if (known === undefined) await withTimeout(core.models.refresh(), modelsMs, systemClock);
    return { folder, core, servers: held.servers };
  }

  /** Stops the servers when the last session that uses them ends. A core without servers stays open for the next session. */
  async release({ core, servers }: OpenFolder): Promise<void> {
    if (servers === null) return;
    for (const [key, held] of this.held) {
      if (held.servers !== servers || (held.users -= 1) > 0) continue;
      this.held.delete(key);
      await core.dispose();
    }
  }

  /** Returns a core for reading the storage. If no core is open, opens one for `folder`. */
  async any(folder: string | null): Promise<HeadlessCore> {
    const [first] = this.held.values();
    return first?.opening ?? this.hold(createKey(folder, []), folder, []).opening;
  }

  async dispose(): Promise<void> {
    for (const { opening } of this.held.values()) await opening.then((opened) => opened.dispose()).catch(() => undefined);
  }

  private hold(key: string, folder: string | null, given: readonly McpServer[]): Held {
    const servers = folder === null || given.length === 0 ? null : new ClientServers(given, folder, this.answers, this.logger);
    const named = folder === null ? null : { name: path.basename(folder) || folder, path: folder };
    const opening = this.open(named, servers?.tools);
    const held = { opening, servers, users: 0 };
    this.held.set(key, held);
    opening.catch(() => this.held.delete(key));
    return held;
  }
}

function createKey(folder: string | null, given: readonly McpServer[]): string {
  return JSON.stringify([folder, given]);
}
