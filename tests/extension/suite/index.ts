import { appendFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { format } from 'node:util';
import Mocha from 'mocha';
import { caseLimitMs } from '../../support/until';

/**
 * Entry point that the editor calls in its extension host. Runs the suites in this folder and writes their output to a file for the driver.
 */
export async function run(): Promise<void> {
  const report = required('OLLAMA_COPILOT_REPORT');
  Mocha.reporters.Base.consoleLog = (...args: unknown[]) => appendFileSync(report, `${format(...args)}\n`);
  const mocha = new Mocha({
    timeout: caseLimitMs,
    reporter: path.join(required('OLLAMA_COPILOT_ROOT'), 'scripts/lib/countingReporter.cjs'),
    ...(process.env.OLLAMA_COPILOT_GREP ? { grep: process.env.OLLAMA_COPILOT_GREP } : {}),
  });
  const chosen = (process.env.OLLAMA_COPILOT_FILES ?? '').split(path.delimiter).filter(Boolean);
  for (const name of readdirSync(__dirname, { recursive: true, encoding: 'utf8' }).sort()) {
    const file = path.join(__dirname, name);
    if (file.endsWith('.test.js') && (chosen.length === 0 || chosen.includes(file))) mocha.addFile(file);
  }
  try {
    const failures = await new Promise<number>((resolve) => mocha.run(resolve));
    if (failures > 0) throw new Error(`${failures} failed`);
  } catch (error) {
    appendFileSync(report, `${String(error)}\n`);
    throw error;
  }
}

function required(variable: string): string {
  const value = process.env[variable];
  if (!value) throw new Error(`${variable} is not set.`);
  return value;
}
