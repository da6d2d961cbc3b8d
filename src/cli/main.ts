import { createInterface } from 'node:readline/promises';
import { runCommand } from './commands';

/** Entry point of the command `ollama-copilot`. */
const stop = new AbortController();
process.once('SIGINT', () => stop.abort());

const isThere = process.stdin.isTTY && process.stderr.isTTY;
async function ask(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return /^y(es)?$/i.test((await lines.question(`${question} [y/N] `)).trim());
  } finally {
    lines.close();
  }
}

void runCommand(process.argv.slice(2), {
  write: (text) => void process.stdout.write(text),
  note: (text) => void process.stderr.write(text),
  ask: isThere ? ask : null,
  environment: process.env,
  signal: stop.signal,
}).then((code) => (process.exitCode = code));
