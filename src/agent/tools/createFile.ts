import { createHash } from 'node:crypto';
import { lstat, mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { z } from 'zod';
import { createAtomically } from '../atomicCreate';
import type { WorkspacePort } from '../ports';
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
      await mkdir(dirname(target.real), { recursive: true });
      // The folders may have become links since they were looked at.
      const now = await paths.resolveForWriting(path);
      const bytes = Buffer.from(content, 'utf8');
      try {
        await createAtomically(now.real, bytes, signal);
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'EEXIST') return alreadyThere(now);
        throw error;
      }
      const lines = linesOf(content);
      await recordEdit({
        path: now.shown,
        operation: 'create',
        diff: creationDiff(now.shown, content, lines),
        beforeHash: null,
        afterHash: createHash('sha256').update(bytes).digest('hex'),
        additions: lines.length,
        deletions: 0,
      });
      workspace.onDidWriteFile?.(now.real);
      const size = `${lines.length} ${lines.length === 1 ? 'line' : 'lines'}`;
      return {
        status: 'success',
        content: `Created ${now.shown} (${size}).`,
        summary: `+${lines.length}`,
        details: { path: now.shown },
      };
    },
  });
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
