import { z } from 'zod';

/**
 * Purpose of a connection. `ollama`: the model server. `mcp`: an MCP server over HTTP. `signIn`: a sign-in to an
 * MCP server. `api`: a client of the local API. `sandbox`: the sandbox proxy. `cli`: the command line. The others
 * are processes: `command`, `mcpProgram` and `lance`.
 */
export const connectionPurposes = ['ollama', 'mcp', 'signIn', 'api', 'sandbox', 'cli', 'command', 'mcpProgram', 'lance'] as const;
export type ConnectionPurpose = (typeof connectionPurposes)[number];

/** One connection attempt, or one process whose connections cannot be observed directly. */
export const connectionRecordSchema = z.object({
  /** ID that is unique across all windows. */
  id: z.string(),
  /** Start time in milliseconds since the epoch. */
  at: z.number(),
  purpose: z.enum(connectionPurposes),
  /**
   * `out`: a connection opened by this process. `in`: a connection accepted by this process.
   * `process`: a process was started. Only its connections through the proxy are observed.
   */
  direction: z.enum(['out', 'in', 'process']),
  /** Request, server or command. */
  detail: z.string(),
  /** Host and port as requested. Empty for a process. */
  host: z.string(),
  /** IP address and port of the other side. Null if there is no connection. */
  address: z.string().nullable(),
  /** Number of bytes before encryption. Null if not observed. */
  sent: z.number().nullable(),
  received: z.number().nullable(),
  /** Chat that the connection belongs to. Null if there is none. */
  sessionId: z.string().nullable(),
  /** `refused`: the connection was not allowed, so the host was not contacted. */
  state: z.enum(['open', 'closed', 'failed', 'refused']),
  /** True if the process runs in the sandbox. The sandbox proxy has its own records with the purpose `sandbox`. */
  isSandboxed: z.boolean().optional(),
});
export type ConnectionRecord = z.infer<typeof connectionRecordSchema>;

export const connectionListSchema = z.object({
  /** Newest first. */
  records: z.array(connectionRecordSchema),
  /** Number of records of this window that are no longer in memory. They may be on disk. */
  dropped: z.number(),
});

const format = z.enum(['json', 'csv']);

export const connectionRequests = {
  /** Returns the connections of this window and those on disk, newest first. */
  readConnections: { params: z.object({}), result: connectionListSchema },
  /** Saves the records with these IDs to a file that the user selects. */
  exportConnections: {
    params: z.object({ format, ids: z.array(z.string()).max(20_000) }),
    result: z.object({ isSaved: z.boolean() }),
  },
} as const;
