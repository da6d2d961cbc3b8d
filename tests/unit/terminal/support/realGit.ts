import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Runs a program in a folder. Resolves with its output; rejects if it fails. */
export async function runIn(
  folder: string,
  file: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv = process.env,
): Promise<string> {
  return (await run(file, [...args], { cwd: folder, env })).stdout;
}
