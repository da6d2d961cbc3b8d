import { createHash } from 'node:crypto';
import { lstat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { createAtomically } from '../atomicCreate';
import { assertReal, makeFolders, removeFolders } from '../newFolders';
import type { WorkspacePort } from '../ports';
import { cannotWrite } from './cannotWrite';
import { defineTool, type Tool, type ToolResult } from '../tool';
import type { ResolvedPath, WorkspacePaths } from '../workspacePaths';
import { pathAliases } from './pathAliases';

const schema = z.object({
  path: z.string().describe('Path of the new file, relative to the workspace'),
  content: z.string().describe('The whole text of the file'),
});

/** Creates a file with its folders; a path that exists is refused, whatever it is. */
export function createFileTool(paths: WorkspacePaths, workspace: Pick<WorkspacePort, 'onDidWriteFile'>): Tool {
  return defineTool({
    name: 'create_file',
    description: 'Create a new text file in the workspace. Missing folders are created. Fails if the path exists already.',
    schema,
    aliases: {
      ...pathAliases,
      text: 'content',
      contents: 'content',
      fileContent: 'content',
      body: 'content',
      data: 'content',
      code: 'content',
    },
    label: ({ path }) => path,
    run: async ({ path, content }, { signal, recordEdit }) => {
      if (/[\\/]\s*$/.test(path)) return failure(`${path} names a folder; give the path of a file.`);
      const target = await paths.resolveForWriting(path);
      if (await isTaken(target)) return alreadyThere(target);
      const bytes = Buffer.from(content, 'utf8');
      try {
        if (!(await createInFolder(target.real, bytes, signal))) return alreadyThere(target);
      } catch (error) {
        const obstacle = cannotWrite(error, target.shown);
        if (obstacle !== undefined) return obstacle;
        throw error;
      }
      const lines = linesOf(content);
      await recordEdit({
        path: target.shown,
        operation: 'create',
        diff: creationDiff(target.shown, content, lines),
        beforeHash: null,
        afterHash: createHash('sha256').update(bytes).digest('hex'),
        additions: lines.length,
        deletions: 0,
      });
      workspace.onDidWriteFile?.(target.real);
      const size = `${lines.length} ${lines.length === 1 ? 'line' : 'lines'}`;
      return {
        status: 'success',
        content: `Created ${target.shown} (${size}).`,
        summary: `+${lines.length}`,
        details: { path: target.shown },
      };
    },
  });
}

/** Answers false when someone else was quicker; leaves nothing behind, no folder either, when there is no file in the end. */
async function createInFolder(path: string, bytes: Buffer, signal: AbortSignal): Promise<boolean> {
  const made = await makeFolders(dirname(path));
  try {
    await createAtomically(path, bytes, signal);
    // A folder that became a link meanwhile may have led the file elsewhere: then it is taken back.
    await assertReal(dirname(path)).catch(async (error: unknown) => {
      await unlink(path);
      throw error;
    });
    return true;
  } catch (error) {
    await removeFolders(made);
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function isTaken(target: ResolvedPath): Promise<boolean> {
  if (target.exists) return true;
  return lstat(target.real).then(
    () => true,
    () => false,
  );
}

function alreadyThere({ shown }: ResolvedPath): ToolResult {
  return failure(`${shown} exists already, so it was not created and nothing was changed. Read it, or choose another path.`);
}

function linesOf(content: string): string[] {
  if (content === '') return [];
  const lines = content.split('\n');
  if (lines.at(-1) === '') lines.pop();
  return lines;
}

function creationDiff(path: string, content: string, lines: readonly string[]): string {
  const head = `--- /dev/null\n+++ b/${path}\n`;
  if (lines.length === 0) return head;
  const range = lines.length === 1 ? '+1' : `+1,${lines.length}`;
  const end = content.endsWith('\n') ? '' : '\\ No newline at end of file\n';
  return `${head}@@ -0,0 ${range} @@\n${lines.map((line) => `+${line}\n`).join('')}${end}`;
}

function failure(content: string): ToolResult {
  return { status: 'error', content };
}
