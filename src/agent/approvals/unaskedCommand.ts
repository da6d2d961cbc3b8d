import { stat } from 'node:fs/promises';
import { join, parse } from 'node:path';
import type { Grants } from '../../protocol/webviewEvents';
import { assessCommand } from '../../services/terminal/judge/commandSafety';
import { NeverRules } from '../../services/git/neverRules';
import { gitOverrules, locateProgram, readingEnvironment } from '../../services/terminal/judge/plainProgram';
import { readOnlyCommand } from '../../services/terminal/judge/readOnlyCommands';
import { hasOwnPrograms } from '../../services/terminal/judge/repositoryPrograms';
import type { ProgramToRun } from '../../services/terminal/run/terminalManager';
import { choosesVersion, versionEnvironment } from '../../services/terminal/judge/versionCommands';
import type { FileAccess } from './fileAccess';
import { PathError } from '../../services/files/pathError';
import type { ResolvedPath } from '../../services/files/workspacePaths';

/** Folder and session of a command. */
export interface CommandPlace {
  folder: ResolvedPath;
  sessionId: string;
  /** True if a person has allowed exactly this command here, and the files that it runs are as they were. */
  isAllowed: boolean;
}

/**
 * Decides how a command runs without a question; resolves with null if a person has to be asked. A command runs unasked
 * if the person
 * has allowed exactly this one here, or if it only reads, in the workspace and nothing that may hold secrets; in the
 * second case it
 * runs as a program without a shell. A critical command is always asked about. Rejects with `CancelledError` once
 * `signal` has fired.
 */
export async function unaskedCommand(
  command: string,
  place: CommandPlace,
  grants: Pick<Grants, 'commands'>,
  access: FileAccess,
  signal: AbortSignal,
): Promise<{ program?: ProgramToRun } | null> {
  if ((await assessCommand(command)).severity === 'critical') return null;
  if (place.isAllowed) return {};
  const plain = grants.commands ? readOnlyCommand(command) : null;
  if (plain === null) return null;
  for (const path of plain.paths)
    if (!(await mayBeSeen(path, place, access, { isContent: plain.showsContent, signal }))) return null;
  const roots = (await access.paths.roots()).map(({ real }) => real);
  const locate = (program: string): Promise<string | null> => locateProgram(program, roots);
  const file = await locate(plain.program);
  if (file === null) return null;
  const env = readingEnvironment();
  const folder = place.folder.real;
  if (plain.isVersion) {
    if (await choosesVersion(folder, roots)) return null;
    // Nothing that lies in the workspace has a say in what it runs.
    return { program: { file, args: plain.args, env: { ...env, ...versionEnvironment }, cwd: parse(folder).root } };
  }
  // What git shows of a history cannot be told apart by files that a person has closed.
  if (plain.git && roots.some((root) => NeverRules.of(root) !== null)) return null;
  if (plain.git && (await hasOwnPrograms({ git: file, folder, env, locate }, plain.git, signal))) return null;
  return { program: { file, args: [...(plain.program === 'git' ? gitOverrules() : []), ...plain.args], env } };
}

/**
 * Resolves with whether a path is inside the workspace by its words and in truth, and no file that read_file would ask about. Content
 * is shown of regular files alone: a folder has others in it, and a pipe may never end.
 */
async function mayBeSeen(
  path: string,
  { folder, sessionId }: CommandPlace,
  access: FileAccess,
  { isContent, signal }: { isContent: boolean; signal: AbortSignal },
): Promise<boolean> {
  if (/^[/\\~]|:|~\d/.test(path) || path.split(/[\\/]/).includes('..')) return false;
  const file = join(folder.real, path);
  try {
    if ((await access.forReading(file, sessionId, signal)).reasons.length > 0) return false;
  } catch (error) {
    if (error instanceof PathError) return false;
    throw error;
  }
  // A name of nothing is told by the program itself.
  return (
    !isContent ||
    (await stat(file).then(
      (found) => found.isFile(),
      () => true,
    ))
  );
}
