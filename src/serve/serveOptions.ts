import { readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { apiScopes, type ApiScope } from '../api/apiPorts';

/** Command line of `serve`, checked. */
export interface ServeOptions {
  /** Folders that the agent works in, by their real paths; there are no others. */
  folders: { name: string; path: string }[];
  storage: string;
  /** Settings by their names without `ollamaCopilot.`. */
  settings: Readonly<Record<string, unknown>>;
  /** Rights of clients by their names, given on the command line. */
  allowed: ReadonlyMap<string, ApiScope>;
}

/** The command line cannot be followed; the message says why. */
export class ServeUsageError extends Error {}

export const serveUsage = `  ollama-copilot serve FOLDER…               runs the agent without an editor, for clients of the local API
      --storage DIR      where chats are kept; the editor's own storage folder will do (default: ~/.ollama-copilot)
      --base-url URL     address of Ollama        --model NAME   model of every mode        --port N   port of the API
      --settings FILE    JSON with further settings, named as in the editor
      --allow NAME:SCOPE lets the client NAME write (send messages, restore) or run (answer what the agent asks);
                         its key is in api.NAME.json beside the chats
`;

/** Reads the command line behind `serve` or `acp`, which may name no folder. Throws `ServeUsageError`. */
export function serveOptions(args: readonly string[], command: 'serve' | 'acp' = 'serve'): ServeOptions {
  const { values, positionals } = parsed(args);
  if (positionals.length === 0 && command === 'serve') throw new ServeUsageError('Name the folders that the agent may work in.');
  const { storage = path.join(homedir(), '.ollama-copilot'), model, port } = values;
  const modes = ['ask', 'plan', 'agent'].map((mode) => [`${mode}Mode.model`, model] as const);
  return {
    folders: named(positionals.map(realFolder)),
    storage: path.resolve(storage),
    settings: {
      ...(values.settings !== undefined && settingsIn(values.settings)),
      ...(values['base-url'] !== undefined && { baseUrl: values['base-url'] }),
      ...(model !== undefined && Object.fromEntries(modes)),
      ...(port !== undefined && { 'api.port': portOf(port) }),
    },
    allowed: new Map((values.allow ?? []).map(allowedOf)),
  };
}

function parsed(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        storage: { type: 'string' },
        settings: { type: 'string' },
        'base-url': { type: 'string' },
        model: { type: 'string' },
        port: { type: 'string' },
        allow: { type: 'string', multiple: true },
      },
    });
  } catch (error) {
    throw new ServeUsageError(error instanceof Error ? error.message : String(error));
  }
}

function realFolder(folder: string): string {
  try {
    const real = realpathSync.native(folder);
    if (statSync(real).isDirectory()) return real;
  } catch {
    // Said below.
  }
  throw new ServeUsageError(`${folder} is no folder.`);
}

/** Gives each folder a name of its own, as the editor does. */
function named(paths: readonly string[]): { name: string; path: string }[] {
  return paths.map((one, index) => {
    const name = path.basename(one) || one;
    const count = paths.slice(0, index).filter((other) => path.basename(other) === name).length;
    return { name: count === 0 ? name : `${name} (${count + 1})`, path: one };
  });
}

function settingsIn(file: string): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof read !== 'object' || read === null || Array.isArray(read)) throw new Error('no JSON object');
    return Object.fromEntries(Object.entries(read).map(([key, value]) => [key.replace(/^ollamaCopilot\./, ''), value]));
  } catch (error) {
    throw new ServeUsageError(`${file} cannot be read: ${error instanceof Error ? error.message : ''}`);
  }
}

function portOf(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535) throw new ServeUsageError(`${text} is no port.`);
  return port;
}

function allowedOf(text: string): [string, ApiScope] {
  const at = text.lastIndexOf(':');
  const scope = apiScopes.find((one) => one === text.slice(at + 1));
  if (at < 1 || scope === undefined) throw new ServeUsageError(`${text} is no NAME:SCOPE; scopes are ${apiScopes.join(', ')}.`);
  return [text.slice(0, at), scope];
}
