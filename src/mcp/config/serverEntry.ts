import type { McpServerForm } from '../../protocol/forms/mcpServerForm';
import { readServers, type ServerConfig } from './serverConfig';

/** Properties of an entry that the form shows. */
const shown = new Set(['command', 'args', 'env', 'cwd', 'sandbox', 'url', 'headers']);
/** Properties that the form does not show and that only one kind of server has. */
const ofReach = new Set(['type', 'oauth']);

/** Converts an entry of the setting `mcp.servers` to the form. Returns null if it is not a valid server. */
export function formOfEntry(name: string, entry: unknown): McpServerForm | null {
  const [server] = readServers({ [name]: entry }, 'settings').servers;
  if (server === undefined) return null;
  const { reach } = server;
  const rows = (record: Readonly<Record<string, string>>) => Object.entries(record).map(([key, value]) => ({ name: key, value }));
  return {
    name,
    reach:
      reach.kind === 'stdio'
        ? {
            kind: 'stdio',
            command: reach.command,
            args: [...reach.args],
            env: rows(reach.env),
            cwd: reach.cwd,
            isSandboxed: reach.sandbox === true,
          }
        : { kind: 'http', url: reach.url, headers: rows(reach.headers) },
  };
}

/** Converts the form to an entry. Keeps properties that the form does not show, except for those of the other kind of server. */
export function entryOfForm({ reach }: McpServerForm, former: unknown): Record<string, unknown> {
  const isSameKind = formOfEntry('former', former)?.reach.kind === reach.kind;
  const kept = Object.entries(former ?? {}).filter(([key]) => !shown.has(key) && (isSameKind || !ofReach.has(key)));
  const record = (rows: readonly { name: string; value: string }[]) =>
    Object.fromEntries(rows.map(({ name, value }) => [name, value]));
  const written =
    reach.kind === 'stdio'
      ? {
          command: reach.command,
          ...(reach.args.length > 0 && { args: reach.args }),
          ...(reach.env.length > 0 && { env: record(reach.env) }),
          ...(reach.cwd !== null && { cwd: reach.cwd }),
          ...(reach.isSandboxed && { sandbox: true }),
        }
      : { url: reach.url, ...(reach.headers.length > 0 && { headers: record(reach.headers) }) };
  return { ...written, ...Object.fromEntries(kept) };
}

/** Returns the server of a form, including properties that the form does not show. */
export function serverOfForm(form: McpServerForm, former: unknown): ServerConfig | null {
  return readServers({ [form.name]: entryOfForm(form, former) }, 'settings').servers[0] ?? null;
}
