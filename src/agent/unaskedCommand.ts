import { join } from 'node:path';
import type { Grants } from '../protocol/webviewEvents';
import { assessCommand } from '../services/terminal/commandSafety';
import { locateProgram, readingEnvironment } from '../services/terminal/plainProgram';
import { readOnlyCommand } from '../services/terminal/readOnlyCommands';
import { hasOwnPrograms } from '../services/terminal/repositoryPrograms';
import type { ProgramToRun } from '../services/terminal/terminalManager';
import type { FileAccess } from './fileAccess';
import { PathError } from './pathError';
import type { ResolvedPath } from './workspacePaths';

/** Where a command is to run, and for whom. */
export interface CommandPlace {
  folder: ResolvedPath;
  sessionId: string;
}

/**
 * How a command runs without a question; null where a person has to be asked. Either they have allowed exactly this one here, or it
 * only reads, in the workspace and nothing that may hold secrets, and then it is a program without a shell that runs. What is
 * critical is always asked about. Rejects with `CancelledError` once `signal` has fired.
 */
export async function unaskedCommand(
  command: string,
  place: CommandPlace,
  grants: Grants,
  access: FileAccess,
  signal: AbortSignal,
): Promise<{ program?: ProgramToRun } | null> {
  if ((await assessCommand(command)).severity === 'critical') return null;
  if (grants.allowedCommands.some((one) => one.command === command && one.cwd === place.folder.shown)) return {};
  const plain = grants.commands ? readOnlyCommand(command) : null;
  if (plain === null) return null;
  for (const path of plain.paths) if (!(await mayBeSeen(path, place, access))) return null;
  const roots = (await access.paths.roots()).map(({ real }) => real);
  const file = await locateProgram(plain.program, roots);
  if (file === null) return null;
  const env = readingEnvironment();
  if (plain.program === 'git' && (await hasOwnPrograms(file, place.folder.real, env, signal))) return null;
  return { program: { file, args: plain.args, env } };
}

/** Inside the workspace by its words and in truth, and no file that read_file would ask about. */
async function mayBeSeen(path: string, { folder, sessionId }: CommandPlace, access: FileAccess): Promise<boolean> {
  if (/^[/\\~]|:/.test(path) || path.split(/[\\/]/).includes('..')) return false;
  try {
    return (await access.forReading(join(folder.real, path), sessionId)).reasons.length === 0;
  } catch (error) {
    if (error instanceof PathError) return false;
    throw error;
  }
}
