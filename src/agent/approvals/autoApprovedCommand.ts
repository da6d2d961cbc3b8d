import { stat } from 'node:fs/promises';
import { join, parse } from 'node:path';
import type { Grants } from '../../protocol/requests/grants';
import { assessCommand } from '../../services/terminal/judge/commandSafety';
import { NeverRules } from '../../services/git/neverRules';
import { gitOverrides, locateProgram, readOnlyEnvironment } from '../../services/terminal/judge/plainProgram';
import { readOnlyCommand } from '../../services/terminal/judge/readOnlyCommands';
import { readNeedsApproval } from '../../services/terminal/judge/repositoryPrograms';
import type { ProgramToRun } from '../../services/terminal/run/childProcessRunner';
import { hasVersionFile, versionEnvironment } from '../../services/terminal/judge/versionCommands';
import type { FileAccess } from './fileAccess';
import { PathError } from '../../services/files/pathError';
import type { ResolvedPath } from '../../services/files/workspacePaths';

/** Folder and session in which a command runs. */
export interface CommandPlace {
  folder: ResolvedPath;
  sessionId: string;
  /** True if the user allowed exactly this command in this folder and the files that it runs are unchanged. */
  isAllowed: boolean;
}

/**
 * Decides how a command runs without approval. Resolves with null if the user must approve it. A command needs no approval
 * if the user allowed exactly this command here. At both levels above *Ask*, commands that only read non-secret files in the
 * workspace also need no approval. They run without a shell and without the sandbox. Commands that are critical or delete
 * ignored files always need approval. Rejects with `CancelledError` when `signal` is aborted.
 */
export async function autoApprovedCommand(
  command: string,
  place: CommandPlace,
  grants: Pick<Grants, 'commands' | 'sandbox'>,
  access: FileAccess,
  signal: AbortSignal,
): Promise<{ program?: ProgramToRun } | null> {
  const { severity, deletesIgnored } = await assessCommand(command);
  if (severity === 'critical' || deletesIgnored) return null;
  if (place.isAllowed) return {};
  const plain = grants.commands || grants.sandbox ? readOnlyCommand(command) : null;
  if (plain === null) return null;
  for (const path of plain.paths)
    if (!(await isReadable(path, place, access, { isContent: plain.showsContent, signal }))) return null;
  const roots = (await access.paths.roots()).map(({ real }) => real);
  const locate = (program: string): Promise<string | null> => locateProgram(program, roots);
  const file = await locate(plain.program);
  if (file === null) return null;
  const env = readOnlyEnvironment();
  const folder = place.folder.real;
  if (plain.isVersion) {
    if (await hasVersionFile(folder, roots)) return null;
    // Runs outside the workspace, so that no workspace file can change which version of the program runs.
    return { program: { file, args: plain.args, env: { ...env, ...versionEnvironment }, cwd: parse(folder).root } };
  }
  // Git history may show files that the user excluded. The output of git cannot be filtered by file.
  if (plain.git && roots.some((root) => NeverRules.of(root) !== null)) return null;
  if (plain.git && (await readNeedsApproval({ git: file, folder, env, locate }, plain.git, signal))) return null;
  return { program: { file, args: [...(plain.program === 'git' ? gitOverrides() : []), ...plain.args], env } };
}

/**
 * Returns whether a path is inside the workspace, as written and as resolved, and `read_file` would need no
 * approval. Only regular files can be shown, because a folder contains other files and a pipe may never end.
 */
async function isReadable(
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
  // If the file is missing, the program itself reports this.
  return (
    !isContent ||
    (await stat(file).then(
      (found) => found.isFile(),
      () => true,
    ))
  );
}
