import { open } from 'node:fs/promises';
import path from 'node:path';
import { messageOf } from '../../utils/errors';
import { t } from '../../utils/l10n';
import { environmentNames } from './fileQuestion';
import { parseJsonFile } from './looseJsonFile';
import { readServerFile, type ReadServers } from './serverConfig';
import { readableText } from '../../utils/text/textFile';
import { sha256Hex } from '../../utils/sha256';

const maxBytes = 256 * 1024;

/** User's decision about a file. Older versions did not store environment variables. */
export interface FileAnswer {
  hash: string;
  isAllowed: boolean;
  environment?: readonly string[];
}

/** Stores the user's decisions by file content. The editor's storage is used because a repository cannot write to it. */
export interface FileApprovals {
  get(file: string): FileAnswer | undefined;
  /** Stores a decision. `environment` contains the environment variables listed in the question. */
  set(file: string, hash: string, isAllowed: boolean, environment: readonly string[]): Promise<void>;
}

/** Reads the servers of the workspace folders. Servers of files without approval are returned in `waiting`. */
export async function readWorkspaceServers(folders: readonly string[], approvals: FileApprovals): Promise<ReadServers> {
  const all: ReadServers = { servers: [], inputs: [], problems: [], waiting: [] };
  for (const folder of folders) {
    const file = path.join(folder, '.vscode', 'mcp.json');
    const text = await readSmallFile(file);
    if (text === null) continue;
    const read = parsed(file, text);
    all.problems.push(...read.problems);
    if (read.servers.length === 0) continue;
    const hash = sha256Hex(text);
    const answer = approvals.get(file);
    const environment = environmentNames(read.servers);
    const isAsked = answer?.hash === hash;
    if (isAsked && answer.isAllowed && environment.every((name) => answer.environment?.includes(name) === true)) {
      all.servers.push(...read.servers.map((server) => ({ ...server, environment })));
      all.inputs.push(...read.inputs);
    } else {
      const isDeclined = isAsked && !answer.isAllowed;
      all.waiting.push({ path: file, hash, servers: read.servers, environment, isDeclined });
    }
  }
  return all;
}

/** Merges lists. If several servers have the same name, the first is used. */
export function mergedServers(...lists: readonly ReadServers[]): ReadServers {
  const merged: ReadServers = { servers: [], inputs: [], problems: [], waiting: [] };
  for (const { servers, inputs, problems, waiting } of lists) {
    for (const server of servers) {
      if (merged.servers.some(({ name }) => name === server.name))
        merged.problems.push(t('{0}: another server already has this name.', server.name));
      else merged.servers.push(server);
    }
    merged.inputs.push(...inputs);
    merged.problems.push(...problems);
    merged.waiting.push(...waiting);
  }
  return merged;
}

function parsed(file: string, text: string): ReadServers {
  try {
    return readServerFile(parseJsonFile(text), 'workspace');
  } catch (error) {
    return { servers: [], inputs: [], problems: [`${file}: ${messageOf(error)}`], waiting: [] };
  }
}

/** Returns the text of a small file, or null if there is none. */
async function readSmallFile(file: string): Promise<string | null> {
  try {
    const handle = await open(file, 'r');
    try {
      if (!(await handle.stat()).isFile()) return null;
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(maxBytes + 1), 0, maxBytes + 1, 0);
      return bytesRead > maxBytes ? null : readableText(buffer.subarray(0, bytesRead));
    } finally {
      await handle.close();
    }
  } catch {
    return null;
  }
}
