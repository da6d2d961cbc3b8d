import { z } from 'zod';
import { mcpServerName } from '../../protocol/forms/mcpServerForm';
import { t } from '../../utils/l10n';
import { isRecord } from '../../utils/json';

/** Source of a server. A server from a workspace starts only after the user has approved the exact content of its file. */
export type ServerOrigin = 'settings' | 'workspace';

/** Local (stdio) server: a program that communicates over stdin and stdout. */
export interface StdioServer {
  kind: 'stdio';
  command: string;
  args: readonly string[];
  env: Readonly<Record<string, string>>;
  /** Working directory. Null means the first workspace folder. */
  cwd: string | null;
  /** Present if the program runs in the sandbox. */
  sandbox?: true;
}

export interface HttpServer {
  kind: 'http';
  url: string;
  headers: Readonly<Record<string, string>>;
  /** Manually registered client, for servers without dynamic registration. */
  oauth?: OAuthClient;
}

export interface OAuthClient {
  clientId?: string;
  clientSecret?: string;
  /** Local port for the redirect, if the registered redirect URI requires a specific port. */
  callbackPort?: number;
}

/** Server as configured. Texts can contain `${…}`. */
export interface ServerConfig {
  name: string;
  origin: ServerOrigin;
  reach: StdioServer | HttpServer;
  /**
   * Environment variables that a workspace server can use as `${env:NAME}`. The user saw
   * exactly these variables when approving the file.
   */
  environment?: readonly string[];
  /** True if `${…}` is not replaced because a client passed the actual values. */
  isLiteral?: boolean;
}

/** Value that the user must enter when a server first needs it. */
export interface InputConfig {
  id: string;
  description: string;
  isSecret: boolean;
  options: readonly string[];
}

export interface ReadServers {
  servers: ServerConfig[];
  inputs: InputConfig[];
  /** Localized problems, one for each invalid server. */
  problems: string[];
  /** Workspace files with servers that need approval. */
  waiting: WaitingFile[];
}

/** Workspace file with servers. None of them starts before the user approves the exact content of the file. */
export interface WaitingFile {
  path: string;
  /** SHA-256 of the file content. */
  hash: string;
  servers: ServerConfig[];
  /** Environment variables that the servers receive. */
  environment: readonly string[];
  /** True if the user declined this content. */
  isDeclined: boolean;
}

const texts = z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]));
const written = z.object({
  type: z.string().optional(),
  command: z.string().min(1).optional(),
  args: z.array(z.union([z.string(), z.number()])).optional(),
  env: texts.optional(),
  cwd: z.string().nullish(),
  sandbox: z.boolean().optional(),
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

/** Reads servers in the common format: names with `command` or `url`. */
export function readServers(raw: unknown, origin: ServerOrigin): ReadServers {
  const read: ReadServers = { servers: [], inputs: [], problems: [], waiting: [] };
  if (!isRecord(raw)) return read;
  for (const [name, value] of Object.entries(raw)) {
    const one = readServer(name, value, origin);
    if (typeof one === 'string') read.problems.push(`${name}: ${one}`);
    else if (one !== null) read.servers.push(one);
  }
  return read;
}

/** Reads a file such as `.vscode/mcp.json` with `servers` (or `mcpServers` of other programs) and `inputs`. */
export function readServerFile(raw: unknown, origin: ServerOrigin): ReadServers {
  if (!isRecord(raw)) return { servers: [], inputs: [], problems: [], waiting: [] };
  const read = readServers(raw['servers'] ?? raw['mcpServers'] ?? raw['context_servers'], origin);
  return { ...read, inputs: readInputs(raw['inputs']) };
}

function readServer(name: string, value: unknown, origin: ServerOrigin): ServerConfig | string | null {
  if (!mcpServerName.test(name)) return t('This name is not valid for a server.');
  const parsed = written.safeParse(value);
  if (!parsed.success) return t('A server needs a command or an address.');
  const { command, args = [], env = {}, cwd = null, sandbox = false, url, headers = {}, oauth, disabled = false } = parsed.data;
  if (disabled) return null;
  if (command !== undefined) {
    const confined = sandbox ? ({ sandbox } as const) : {};
    const reach = { kind: 'stdio', command, args: args.map(String), env: toTexts(env), cwd, ...confined } as const;
    return { name, origin, reach };
  }
  if (url === undefined) return t('A server needs a command or an address.');
  if (!/^https?:\/\//i.test(url)) return t('Enter an address that starts with http:// or https://.');
  return { name, origin, reach: { kind: 'http', url, headers: toTexts(headers), ...(oauth && { oauth: omitUndefined(oauth) }) } };
}

/** Returns the client without undefined properties. */
function omitUndefined({ clientId, clientSecret, callbackPort }: NonNullable<z.infer<typeof written>['oauth']>): OAuthClient {
  return {
    ...(clientId !== undefined && { clientId }),
    ...(clientSecret !== undefined && { clientSecret }),
    ...(callbackPort !== undefined && { callbackPort }),
  };
}

function readInputs(raw: unknown): InputConfig[] {
  if (!Array.isArray(raw)) return [];
  return raw.flatMap((one) => {
    const parsed = input.safeParse(one);
    if (!parsed.success) return [];
    const { id, description = id, password = false, options = [] } = parsed.data;
    return [{ id, description, isSecret: password, options }];
  });
}

function toTexts(record: Record<string, string | number | boolean | null>): Record<string, string> {
  return Object.fromEntries(Object.entries(record).flatMap(([key, value]) => (value === null ? [] : [[key, String(value)]])));
}

/** Returns the command line or address of a server as configured. */
export function reachText({ reach }: Pick<ServerConfig, 'reach'>): string {
  return reach.kind === 'http' ? reach.url : [reach.command, ...reach.args].join(' ');
}
