import { phrase } from '../../utils/l10n';
import { McpError } from '../mcpError';
import type { ServerConfig } from './serverConfig';

/** Values of `${…}` in a server configuration. */
export interface VariableSource {
  /** First workspace folder. Null without a folder. */
  folder(): string | null;
  home(): string;
  env(name: string): string | undefined;
  /** Asks the user the first time. Resolves with null if the user enters no value. */
  input(id: string, server: ServerConfig): Promise<string | null>;
}

/** Resolves with the configuration after all variables are replaced. Rejects with a message for the user. */
export async function resolved(config: ServerConfig, source: VariableSource): Promise<ServerConfig['reach']> {
  const fill = (text: string) => filled(text, config, source);
  const fillAll = async (record: Readonly<Record<string, string>>) => {
    const values: Record<string, string> = {};
    // Sequential, so that only one question is open at a time.
    for (const [key, value] of Object.entries(record)) values[key] = await fill(value);
    return values;
  };
  const { reach } = config;
  if (config.isLiteral === true) return reach.kind === 'http' ? reach : { ...reach, cwd: reach.cwd ?? source.folder() };
  if (reach.kind === 'http') {
    const { oauth } = reach;
    const secret = oauth?.clientSecret;
    const client = secret === undefined ? {} : { oauth: { ...oauth, clientSecret: await fill(secret) } };
    return { ...reach, ...client, url: await fill(reach.url), headers: await fillAll(reach.headers) };
  }
  const args: string[] = [];
  for (const arg of reach.args) args.push(await fill(arg));
  const cwd = reach.cwd === null ? source.folder() : await fill(reach.cwd);
  return { ...reach, command: await fill(reach.command), args, env: await fillAll(reach.env), cwd };
}

async function filled(text: string, server: ServerConfig, source: VariableSource): Promise<string> {
  let whole = '';
  let end = 0;
  for (const found of text.matchAll(/\$\{([^}]*)\}/g)) {
    whole += text.slice(end, found.index) + (await resolveVariable(found[1] ?? '', found[0], server, source));
    end = found.index + found[0].length;
  }
  return whole + text.slice(end);
}

async function resolveVariable(name: string, written: string, server: ServerConfig, source: VariableSource): Promise<string> {
  if (name === 'workspaceFolder') {
    const folder = source.folder();
    if (folder === null) throw new McpError('variable', phrase('{0} requires an open folder.', written));
    return folder;
  }
  if (name === 'userHome') return source.home();
  if (name.startsWith('env:')) {
    const variable = name.slice(4);
    if (server.origin === 'workspace' && server.environment?.includes(variable) !== true)
      throw new McpError('variable', phrase('{0} was not listed when you allowed this server.', written));
    return source.env(variable) ?? '';
  }
  if (name.startsWith('input:')) {
    const value = await source.input(name.slice(6), server);
    if (value === null) throw new McpError('variable', phrase('No value was entered for {0}.', written));
    return value;
  }
  // Shells and other programs also use this syntax.
  return written;
}
