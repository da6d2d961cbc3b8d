import assert from 'node:assert/strict';
import path from 'node:path';
import { signIn, type SignInPerson } from '../../../../src/mcp/auth/signIn';
import { SignInStore } from '../../../../src/mcp/auth/storedSignIn';
import { McpServers } from '../../../../src/mcp/mcpServers';
import { readServers, type ReadServers } from '../../../../src/mcp/config/serverConfig';
import type { ChangedPart } from '../../../../src/mcp/config/definition';
import { ServerInputs } from '../../../../src/mcp/config/serverInputs';
import {
  mergedServers,
  readWorkspaceServers,
  type FileAnswer,
  type FileApprovals,
} from '../../../../src/mcp/config/workspaceFiles';
import { connect } from '../../../../src/mcp/server/connect';
import type { ConfineProgram, Connect } from '../../../../src/mcp/server/serverConnection';
import type { Clock } from '../../../../src/utils/clock';
import { silentLogger } from '../../../../src/utils/logger';
import type { Script } from '../../../support/mcp/server';
import { eventually } from '../../../support/until';
import { patientClock } from '../../../support/patientClock';

export const program = path.join(__dirname, '../../../support/mcp/server.js');

/** Returns the configuration of a scripted server. */
export function scripted(script: Script): Record<string, unknown> {
  return { command: process.execPath, args: [program], env: { MCP_SCRIPT: JSON.stringify(script) } };
}

/** MCP servers of a window, with real programs. */
export class McpBench {
  /** Values that the user enters. */
  readonly inputs = new Map<string, string>();
  /** Requests for values: server, input, and what changed since the user last entered the value. */
  readonly askedFor: { server: string; input: string; changes: readonly ChangedPart[] | null }[] = [];
  readonly asked: string[][] = [];
  off: readonly string[] = [];
  /** Paths of the workspace folders. */
  folders: string[] = [];
  mayStart: boolean | undefined;
  isTrusted = true;
  private readonly answers = new Map<string, FileAnswer>();
  readonly servers: McpServers;

  wantsToSignIn = false;
  person: SignInPerson = {
    confirm: async () => Promise.resolve(false),
    open: async () => Promise.resolve(false),
    external: async (url) => Promise.resolve(url),
  };
  readonly signIns: SignInStore;
  private readonly values: ServerInputs;

  constructor(
    public configured: Record<string, unknown>,
    readonly secrets = new Map<string, string>(),
    /** Defaults to real programs and addresses. */
    reach: Connect = connect,
    confine: ConfineProgram = () => Promise.reject(new Error('No sandbox')),
    clock: Clock = patientClock,
  ) {
    const store = {
      get: async (key: string) => Promise.resolve(secrets.get(key)),
      store: async (key: string, value: string) => void secrets.set(key, value),
      delete: async (key: string) => void secrets.delete(key),
    };
    this.signIns = new SignInStore(store);
    this.values = new ServerInputs(
      store,
      () => this.folders[0] ?? null,
      async ({ server, input, changes }) => {
        this.askedFor.push({ server: server.name, input: input.id, changes });
        return Promise.resolve(this.inputs.get(input.id));
      },
    );
    this.servers = new McpServers({
      connect: reach,
      clock,
      logger: silentLogger,
      confine,
      mayStart: () => this.isTrusted,
      read: async (): Promise<ReadServers> =>
        mergedServers(readServers(this.configured, 'settings'), await readWorkspaceServers(this.folders, this.approvals)),
      askToStart: async ({ servers }) => {
        this.asked.push(servers.map(({ name }) => name));
        return Promise.resolve(this.mayStart);
      },
      disabledTools: () => this.off,
      setDisabledTools: async (names) => void (this.off = names),
      forget: (ids, server) => this.values.forget(ids, server),
      signIns: this.signIns,
      askToSignIn: async () => Promise.resolve(this.wantsToSignIn),
      signIn: (_server, challenge, client) => signIn(challenge, client, this.person, this.signIns, new AbortController().signal),
      setAnswer: ({ path: file, hash, environment }, isAllowed) => this.approvals.set(file, hash, isAllowed, environment),
      variables: {
        folder: () => this.folders[0] ?? null,
        home: () => '/home/somebody',
        env: (name) => (name === 'KNOWN' ? 'known' : undefined),
        input: (id, server) => this.values.value(id, server),
      },
    });
  }

  private get approvals(): FileApprovals {
    return {
      get: (file) => this.answers.get(file),
      set: async (file, hash, isAllowed, environment) => void this.answers.set(file, { hash, isAllowed, environment }),
    };
  }

  /** Resolves when all servers that can start have started. */
  async ready(): Promise<void> {
    await this.servers.ready(new AbortController().signal);
  }
}

/** Resolves when the process has exited. */
export function gone(pid: number): Promise<void> {
  return eventually(() => assert.throws(() => process.kill(pid, 0)));
}
