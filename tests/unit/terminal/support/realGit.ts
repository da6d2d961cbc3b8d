import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Resolves with what a program printed, run in a folder; rejects where it failed. */
export async function runIn(
  folder: string,
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  return (await run(file, [...args], { cwd: folder, env })).stdout;
}
