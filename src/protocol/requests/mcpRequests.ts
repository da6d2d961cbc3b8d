import { z } from 'zod';
import { mcpServerFormSchema } from '../forms/mcpServerForm';
import { name, none } from './shared';

const mcpToolSchema = z.object({
  /** Name that the model calls. */
  name: z.string(),
  /** Name that its server has for it; of ours the same. */
  title: z.string(),
  /** Tokens that telling the model of it takes, estimated. */
  tokens: z.number(),
  /** False if the model is not told of it. */
  isOn: z.boolean(),
});

/** A server whose tools the agent may use. */
const mcpServerSchema = z.object({
  name: z.string(),
  origin: z.enum(['settings', 'workspace']),
  state: z.enum(['stopped', 'starting', 'running', 'failed']),
  /** Reason why it failed. */
  problem: z.string().nullable(),
  /** Command or address, as it was written down. */
  reach: z.string(),
  /** Address that it is asked at; null of a program on this machine. */
  address: z.string().nullable(),
  signIn: z.enum(['none', 'needed', 'done']),
  /** Origins beside that address which its sign-in asks. */
  signInOrigins: z.array(z.string()),
  tools: z.array(mcpToolSchema),
});

/** A file of the workspace whose servers may not start, with everything that they would be started with. */
const waitingFileSchema = z.object({
  path: z.string(),
  hash: z.string(),
  servers: z.array(z.object({ name: z.string(), parts: z.array(z.object({ label: z.string(), value: z.string() })) })),
  /** Names of the environment variables that they get. */
  environment: z.array(z.string()),
});

export const mcpStateSchema = z.object({
  servers: z.array(mcpServerSchema),
  /** Prompts that servers have, by the names they are called by. */
  prompts: z.array(z.object({ command: z.string(), about: z.string(), server: z.string(), name: z.string() })),
  waiting: z.array(waitingFileSchema),
  /** Servers that were left out, and why. */
  problems: z.array(z.string()),
});
export type McpState = z.infer<typeof mcpStateSchema>;

/** Result of a test: what the server offers and what that takes of the window, or why it offers nothing. */
const mcpTestSchema = z.object({
  outcome: z.enum(['running', 'failed', 'signIn', 'stopped']),
  tools: z.array(z.object({ name: z.string(), about: z.string(), tokens: z.number() })),
  problem: z.string().nullable(),
  /** Last lines that the server wrote beside its answers. */
  log: z.string(),
});
export type McpTest = z.infer<typeof mcpTestSchema>;

const formOfServer = z.object({ server: mcpServerFormSchema, former: name.nullable() });

export const mcpRequests = {
  /** Reads what is written down; from then on `mcp` events follow. */
  listMcpServers: { params: none, result: mcpStateSchema },
  /** `forget`: what it was given for its inputs is asked for again. Resolves when it is done; rejects if a person was not signed in. */
  actOnMcpServer: {
    params: z.object({ name, action: z.enum(['start', 'stop', 'restart', 'log', 'forget', 'signIn', 'signOut']) }),
    result: none,
  },
  /** All tools there are, ours and those from elsewhere, whether a model is told of them or not. */
  listTools: { params: none, result: z.object({ tools: z.array(mcpToolSchema) }) },
  /** Tells the model of a tool from the next message on, or no longer. */
  setToolOn: { params: z.object({ name, isOn: z.boolean() }), result: none },
  /** Asks a person for the arguments of a prompt; null if they give none. */
  readMcpPrompt: { params: z.object({ server: name, name }), result: z.object({ text: z.string().nullable() }) },
  /** Lets a person choose servers that other programs know, and copies them into the settings. */
  importMcpServers: { params: none, result: none },
  /** Returns a server of the settings as the form shows it; null if there is none that can be read. */
  readMcpServer: { params: z.object({ name }), result: z.object({ server: mcpServerFormSchema.nullable() }) },
  /**
   * Starts a server as it would be saved, reads its tools, and ends it. `former`: name of the server that is changed; null for a new one.
   * Rejects where the form has problems, or no server may start.
   */
  testMcpServer: { params: formOfServer, result: mcpTestSchema },
  /** Ends the test that goes on. */
  stopMcpTest: { params: none, result: none },
  /** Saves a server in the user's settings, and starts it. Rejects where the form has problems, or the settings cannot be written. */
  saveMcpServer: { params: formOfServer, result: none },
  /** Deletes a server of the settings, after a question that the host asks. */
  removeMcpServer: { params: z.object({ name }), result: z.object({ isRemoved: z.boolean() }) },
  /** Opens the file of the workspace that brings a server. */
  openMcpFile: { params: z.object({ name }), result: none },
  allowMcpFile: { params: z.object({ path: name, hash: name }), result: none },
} as const;
