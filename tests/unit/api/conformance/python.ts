import { execFile } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import type { ApiBench } from '../support';

const folder = path.join(__dirname, '../../../../../tests/unit/api/conformance');

/** Runs a Python program that checks a dialog. Resolves to its output, which has a line for each check. */
export async function python(program: string, bench: ApiBench, dialog: string): Promise<string> {
  const { Authorization = '', 'X-Client-Key': KEY = '' } = bench.headers({ 'X-Client': 'python' });
  const { workspace: WORKSPACE } = bench.agent.folders;
  const access = { URL: bench.server.url, TOKEN: Authorization.replace('Bearer ', ''), KEY, SESSION: dialog, WORKSPACE };
  const env = { ...process.env, ...access, STORAGE: bench.agent.storageFolder(), PYTHONDONTWRITEBYTECODE: '1' };
  const { stdout } = await promisify(execFile)('python3', [path.join(folder, program)], { env }).catch(
    (error: unknown) => error as { stdout: string },
  );
  return stdout;
}
