import { z } from 'zod';
import { mcpServerFormSchema } from '../forms/mcpServerForm';
import { name, none } from './shared';

const mcpToolSchema = z.object({
  /** Name that the model uses to call the tool. */
  name: z.string(),
  /** Name of the tool on the server. The same as `name` for built-in tools. */
  title: z.string(),
  /** Estimated tokens of the tool's definition. */
  tokens: z.number(),
  /** False if the model does not receive the tool. */
  isOn: z.boolean(),
});

const mcpServerSchema = z.object({
  name: z.string(),
  origin: z.enum(['settings', 'workspace']),
  state: z.enum(['stopped', 'starting', 'running', 'failed']),
  problem: z.string().nullable(),
  /** Problems of a running server. */
  warnings: z.array(z.string()),
  /** Command or address as configured. */
  reach: z.string(),
  /** Address that requests are sent to. Null for a local program. */
  address: z.string().nullable(),
  signIn: z.enum(['none', 'needed', 'done']),
  /** Other origins that the sign-in contacts. */
  signInOrigins: z.array(z.string()),
  tools: z.array(mcpToolSchema),
  /** True if the program runs in the sandbox. */
  isSandboxed: z.boolean(),
});

/** Workspace file that configures servers which need approval before they start. Includes their complete start configuration. */
const waitingFileSchema = z.object({
  path: z.string(),
  hash: z.string(),
  servers: z.array(z.object({ name: z.string(), parts: z.array(z.object({ label: z.string(), value: z.string() })) })),
  /** Names of the environment variables that the servers receive. */
  environment: z.array(z.string()),
});

export const mcpStateSchema = z.object({
  servers: z.array(mcpServerSchema),
  /** Prompts of servers, each with the slash command that runs it. */
  prompts: z.array(z.object({ command: z.string(), about: z.string(), server: z.string(), name: z.string() })),
  waiting: z.array(waitingFileSchema),
  /** Ignored servers with the reasons. */
  problems: z.array(z.string()),
});
export type McpState = z.infer<typeof mcpStateSchema>;

/** Result of a test: the tools of the server and their tokens, or the failure. */
const mcpTestSchema = z.object({
  outcome: z.enum(['running', 'failed', 'signIn', 'stopped']),
  tools: z.array(z.object({ name: z.string(), about: z.string(), tokens: z.number() })),
  problem: z.string().nullable(),
  /** Problems of a running server. */
  warnings: z.array(z.string()),
  /** Last lines of the server's log output. */
  log: z.string(),
});
export type McpTest = z.infer<typeof mcpTestSchema>;

const formOfServer = z.object({ server: mcpServerFormSchema, former: name.nullable() });

export const mcpRequests = {
  /** Reads the configured servers and subscribes to `mcp` events. */
  listMcpServers: { params: none, result: mcpStateSchema },
  /**
   * `forget` deletes the stored inputs, so that the user must enter them
   * again. Resolves when the action is done. Rejects if sign-in fails.
   */
  actOnMcpServer: {
    params: z.object({ name, action: z.enum(['start', 'stop', 'restart', 'log', 'forget', 'signIn', 'signOut']) }),
    result: none,
  },
  /** Lists all tools, built-in and external, including disabled ones. */
  listTools: { params: none, result: z.object({ tools: z.array(mcpToolSchema) }) },
  /** Enables or disables a tool. This applies from the next message on. */
  setToolOn: { params: z.object({ name, isOn: z.boolean() }), result: none },
  /** Asks the user for the arguments of a prompt and returns its text. Null if cancelled. */
  readMcpPrompt: { params: z.object({ server: name, name }), result: z.object({ text: z.string().nullable() }) },
  /** Lets the user select servers that are configured in other programs, and copies them to the settings. */
  importMcpServers: { params: none, result: none },
  /** Returns a configured server in the format of the form. Null if it does not exist or cannot be read. */
  readMcpServer: { params: z.object({ name }), result: z.object({ server: mcpServerFormSchema.nullable() }) },
  /**
   * Starts a server with the entered configuration, reads its tools and stops it. `former` is the previous
   * name of an edited server, or null for a new one. Rejects if the form is invalid or servers may not start.
   */
  testMcpServer: { params: formOfServer, result: mcpTestSchema },
  stopMcpTest: { params: none, result: none },
  /** Saves a server in the user settings and starts it. Rejects if the form is invalid or the settings cannot be written. */
  saveMcpServer: { params: formOfServer, result: none },
  /** Deletes a server from the settings after a confirmation in the host. */
  removeMcpServer: { params: z.object({ name }), result: z.object({ isRemoved: z.boolean() }) },
  openMcpFile: { params: z.object({ name }), result: none },
  allowMcpFile: { params: z.object({ path: name, hash: name }), result: none },
} as const;
