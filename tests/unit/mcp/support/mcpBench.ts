import path from 'node:path';
import { McpServers } from '../../../../src/mcp/mcpServers';
import { readServers, type ReadServers } from '../../../../src/mcp/config/serverConfig';
import { connect } from '../../../../src/mcp/server/connect';
import { systemClock } from '../../../../src/utils/clock';
import { silentLogger } from '../../../../src/utils/logger';
import type { Script } from '../../../support/mcp/server';

const program = path.join(__dirname, '../../../support/mcp/server.js');

/** Returns what a person writes into the settings to have a scripted server. */
export function scripted(script: Script): Record<string, unknown> {
  return { command: process.execPath, args: [program], env: { MCP_SCRIPT: JSON.stringify(script) } };
}

/** The servers of a window, with real programs behind them. */
export class McpBench {
  readonly inputs = new Map<string, string>();
  readonly servers: McpServers;

  constructor(public configured: Record<string, unknown>) {
    this.servers = new McpServers({
      ...{ connect, clock: systemClock, logger: silentLogger },
      read: async (): Promise<ReadServers> => readServers(this.configured, 'settings'),
      variables: {
        folder: () => null,
        home: () => '/home/somebody',
        env: (name) => (name === 'KNOWN' ? 'known' : undefined),
        input: async (id) => this.inputs.get(id) ?? null,
      },
    });
  }

  /** Resolves when those servers that can start have. */
  async ready(): Promise<void> {
    await this.servers.ready(new AbortController().signal);
  }
}

/** Resolves when no process of this number is left. */
export async function gone(pid: number): Promise<void> {
  for (;;) {
    try {
      process.kill(pid, 0);
    } catch {
      return;
    }
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
