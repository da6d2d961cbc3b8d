import { z } from 'zod';
import { mcpServerName } from '../../protocol/forms/mcpServerForm';
import { t } from '../../utils/l10n';
import { isRecord } from '../../utils/json';

/** Place that a server comes from. Those of a workspace start once a person has agreed to the very content of its file. */
export type ServerOrigin = 'settings' | 'workspace';

/** Program that talks over its input and output. */
export interface StdioServer {
  kind: 'stdio';
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Folder to run it in; null: the first folder of the workspace. */
  cwd: string | null;
}

/** Server that is asked over HTTP. */
export interface HttpServer {
  kind: 'http';
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Client that somebody has registered by hand, for servers that register none by themselves. */
  oauth?: OAuthClient;
}

/** Client of an authorization server. */
export interface OAuthClient {
  clientId?: string;
  clientSecret?: string;
  /** Port on this machine that the browser comes back to, where a registered address names one. */
  callbackPort?: number;
}

/** Server as it was written down: texts may hold `${…}` still. */
export interface ServerConfig {
  name: string;
  origin: ServerOrigin;
  reach: StdioServer | HttpServer;
  /** Variables that `${env:NAME}` may stand for in a server of a workspace: those that the question listed. */
  environment?: readonly string[];
}

/** Value that a person is asked for when a server first needs it. */
export interface InputConfig {
  id: string;
  description: string;
  isSecret: boolean;
  options: readonly string[];
}

export interface ReadServers {
  servers: ServerConfig[];
  inputs: InputConfig[];
  /** Problems in words for a person, one for each server that was left out. */
  problems: string[];
  /** Files of the workspace whose servers wait for a person. */
  waiting: WaitingFile[];
}

/** File of a workspace that brings servers, none of which starts before a person has agreed to its very content. */
export interface WaitingFile {
  path: string;
  /** SHA-256 of its content. */
  hash: string;
  servers: ServerConfig[];
  /** Names of the environment variables that its servers get. */
  environment: readonly string[];
  /** True if a person has said no to this content. */
  isDeclined: boolean;
}

const texts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
const written = z.object({
  type: z.string().optional(),
  command: z.string().min(1).optional(),
  args: z.array(z.union([z.string(), z.number()])).optional(),
  env: texts.optional(),
  cwd: z.string().nullish(),
  url: z.string().optional(),
  headers: texts.optional(),
  oauth: z
    .object({
      clientId: z.string().min(1).optional(),
      clientSecret: z.string().min(1).optional(),
      callbackPort: z.int().min(1).max(65535).optional(),
    })
    .optional(),
  disabled: z.boolean().optional(),
});

const input = z.object({
  id: z.string().min(1),
  type: z.string().optional(),
  description: z.string().optional(),
  password: z.boolean().optional(),
  options: z.array(z.string()).optional(),
});

/** Reads servers in the shape that most programs write them in: names with `command` or `url`. */
export function readServers(raw: unknown, origin: ServerOrigin): ReadServers {
  const read: ReadServers = { servers: [], inputs: [], problems: [], waiting: [] };
  if (!isRecord(raw)) return read;
  for (const [name, value] of Object.entries(raw)) {
    const one = serverOf(name, value, origin);
    if (typeof one === 'string') read.problems.push(`${name}: ${one}`);
    else if (one !== null) read.servers.push(one);
  }
  return read;
}

/** Reads a file such as `.vscode/mcp.json`: `servers` (or, as others write it, `mcpServers`) and `inputs`. */
export function readServerFile(raw: unknown, origin: ServerOrigin): ReadServers {
  if (!isRecord(raw)) return { servers: [], inputs: [], problems: [], waiting: [] };
  const read = readServers(raw['servers'] ?? raw['mcpServers'] ?? raw['context_servers'], origin);
  return { ...read, inputs: inputsOf(raw['inputs']) };
}

function serverOf(name: string, value: unknown, origin: ServerOrigin): ServerConfig | string | null {
  if (!mcpServerName.test(name)) return t('This name cannot be used for a server.');
  const parsed = written.safeParse(value);
  if (!parsed.success) return t('A server has a command or an address.');
  const { command, args = [], env = {}, cwd = null, url, headers = {}, oauth, disabled = false } = parsed.data;
  if (disabled) return null;
  if (command !== undefined) {
    const reach = { kind: 'stdio', command, args: args.map(String), env: textsOf(env), cwd } as const;
    return { name, origin, reach };
  }
  if (url === undefined) return t('A server has a command or an address.');
  if (!/^https?:\/\//i.test(url)) return t('Enter an address that begins with http:// or https://.');
  return { name, origin, reach: { kind: 'http', url, headers: textsOf(headers), ...(oauth && { oauth: definedOf(oauth) }) } };
}

/** Returns the client without what was not written. */
function definedOf({ clientId, clientSecret, callbackPort }: NonNullable<z.infer<typeof written>['oauth']>): OAuthClient {
  return {
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(callbackPort !== undefined && { callbackPort }),
  };
}

function inputsOf(raw: unknown): InputConfig[] {
  if (!Array.isArray(raw)) return [];
  return raw.flatMap((one) => {
    const parsed = input.safeParse(one);
    if (!parsed.success) return [];
    const { id, description = id, password = false, options = [] } = parsed.data;
    return [{ id, description, isSecret: password, options }];
  });
}

function textsOf(record: Record<string, string | number | boolean | null>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).flatMap(([key, value]) => (value === null ? [] : [[key, String(value)]])));
}

/** Returns how a server is reached, in one line, as it was written down. */
export function reachText({ reach }: Pick<ServerConfig, 'reach'>): string {
  return reach.kind === 'http' ? reach.url : [reach.command, ...reach.args].join(' ');
}
