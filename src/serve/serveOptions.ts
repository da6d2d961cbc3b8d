import { existsSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { apiScopes, type ApiScope } from '../api/apiPorts';
import { parseJsonFile } from '../mcp/config/looseJsonFile';
import { chatModes } from '../types/modes';

export interface ServeOptions {
  /** Names and real paths of the folders. The agent works only in these folders. */
  folders: { name: string; path: string }[];
  storage: string;
  /** Settings by name, without the prefix `ollamaCopilot.`. */
  settings: Readonly<Record<string, unknown>>;
  /** Scopes of clients by client name, from the command line. */
  allowed: ReadonlyMap<string, ApiScope>;
}

/** Error for an invalid command line. The message is the reason. */
export class ServeUsageError extends Error {}

export const serveUsage = `ollama-copilot serve FOLDER…

  Run the agent in the folders without an editor, for clients of the local API.

  --storage DIR        folder that stores chats, such as that of the editor (default: ~/.ollama-copilot)
  --base-url URL       address of Ollama
  --model NAME         model for all modes
  --port N             port of the API (default: a free port)
  --settings FILE      JSON file with other settings, named as in the editor (default: ~/.ollama-copilot/settings.json)
  --allow NAME:SCOPE   allow the client NAME to write (send messages, restore) or run (answer approval requests);
                       its key is in api.NAME.json in the storage folder
  --help               show help
`;

/** Parses the arguments after `serve` or `acp`. `acp` needs no folder. Throws `ServeUsageError`. */
export function serveOptions(args: readonly string[], command: 'serve' | 'acp' = 'serve'): ServeOptions {
  const { values, positionals } = parsed(args);
  if (positionals.length === 0 && command === 'serve')
    throw new ServeUsageError('Specify at least one folder for the agent to work in.');
  const { storage = path.join(homedir(), '.ollama-copilot'), model, port } = values;
  const modes = chatModes.map((mode) => [`${mode}Mode.model`, model] as const);
  return {
    folders: named(positionals.map(realFolder)),
    storage: path.resolve(storage),
    settings: {
      ...(command === 'serve' || values.settings !== undefined ? settingsIn(values.settings) : {}),
      ...(values['base-url'] !== undefined && { baseUrl: values['base-url'] }),
      ...(model !== undefined && Object.fromEntries(modes)),
      ...(port !== undefined && { 'api.port': parsePort(port) }),
    },
    allowed: new Map((values.allow ?? []).map(parseAllowed)),
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
    // The error below reports the reason.
  }
  throw new ServeUsageError(`${folder} is not a folder.`);
}

/** Gives each folder a unique name, as VS Code does. */
function named(paths: readonly string[]): { name: string; path: string }[] {
  return paths.map((one, index) => {
    const name = path.basename(one) || one;
    const count = paths.slice(0, index).filter((other) => path.basename(other) === name).length;
    return { name: count === 0 ? name : `${name} (${count + 1})`, path: one };
  });
}

/** Reads a settings file. Without a name, reads the file in the home folder if it exists. */
function settingsIn(given: string | undefined): Record<string, unknown> {
  const file = given ?? path.join(homedir(), '.ollama-copilot', 'settings.json');
  if (given === undefined && !existsSync(file)) return {};
  try {
    const read = parseJsonFile(readFileSync(file, 'utf8'));
    if (typeof read !== 'object' || read === null || Array.isArray(read)) throw new Error('not a JSON object');
    return Object.fromEntries(Object.entries(read).map(([key, value]) => [key.replace(/^ollamaCopilot\./, ''), value]));
  } catch (error) {
    throw new ServeUsageError(`Could not read ${file}: ${error instanceof Error ? error.message : ''}`);
  }
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 0 || port > 65_535)
    throw new ServeUsageError(`${text} is not a valid port. Enter a number from 0 to 65535.`);
  return port;
}

function parseAllowed(text: string): [string, ApiScope] {
  const at = text.lastIndexOf(':');
  const scope = apiScopes.find((one) => one === text.slice(at + 1));
  if (at < 1 || scope === undefined)
    throw new ServeUsageError(`${text} is not NAME:SCOPE. The scopes are ${apiScopes.join(', ')}.`);
  return [text.slice(0, at), scope];
}
