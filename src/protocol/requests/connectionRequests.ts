import { z } from 'zod';

/**
 * Reason for a connection. `ollama`: the model server. `mcp`: an MCP server over HTTP. `signIn`: a sign-in to an MCP server. `api`: a client
 * of the local API. `sandbox`: the proxy of the sandbox. `cli`: the command line. The others are processes: `command`, `mcpProgram`
 * and `lance`.
 */
export const connectionPurposes = ['ollama', 'mcp', 'signIn', 'api', 'sandbox', 'cli', 'command', 'mcpProgram', 'lance'] as const;
export type ConnectionPurpose = (typeof connectionPurposes)[number];

/** One connection attempt, or one process whose connections are not observed here. */
export const connectionRecordSchema = z.object({
  /** Unique among all windows. */
  id: z.string(),
  /** Start, in milliseconds since the epoch. */
  at: z.number(),
  purpose: z.enum(connectionPurposes),
  /** `out`: opened here. `in`: accepted here. `process`: started here; only its proxy, if any, is observed. */
  direction: z.enum(['out', 'in', 'process']),
  /** Request, server or command. */
  detail: z.string(),
  /** Host and port as requested; empty for a process. */
  host: z.string(),
  /** IP address and port of the other side; null if there is no connection. */
  address: z.string().nullable(),
  /** Bytes before encryption; null if not observed. */
  sent: z.number().nullable(),
  received: z.number().nullable(),
  /** Chat that the connection belongs to; null for none. */
  sessionId: z.string().nullable(),
  /** `refused`: not allowed, so nothing was contacted. */
  state: z.enum(['open', 'closed', 'failed', 'refused']),
  /** True if the process runs in the sandbox, whose proxy is listed as `sandbox`. */
  isSandboxed: z.boolean().optional(),
});
export type ConnectionRecord = z.infer<typeof connectionRecordSchema>;

export const connectionListSchema = z.object({
  /** Newest first. */
  records: z.array(connectionRecordSchema),
  /** Number of records of this window that left the memory. They may be on disk. */
  dropped: z.number(),
});

const format = z.enum(['json', 'csv']);

export const connectionRequests = {
  /** Returns the connections of this window and those on disk, newest first. */
  readConnections: { params: z.object({}), result: connectionListSchema },
  /** Saves the records with these ids to a file that the user chooses. */
  exportConnections: {
    params: z.object({ format, ids: z.array(z.string()).max(20_000) }),
    result: z.object({ isSaved: z.boolean() }),
  },
} as const;
