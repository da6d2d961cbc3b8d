import { readFileSync } from 'node:fs';
import { createInterface } from 'node:readline/promises';
import path from 'node:path';
import { runCommand } from './commands';

/** Entry point of the command `ollama-copilot`. */
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

const isThere = process.stdin.isTTY && process.stderr.isTTY;
async function askText(question: string): Promise<string> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  try {
    return (await lines.question(question, { signal: stop.signal })).trim();
  } finally {
    lines.close();
  }
}

async function ask(question: string): Promise<boolean> {
  return /^y(es)?$/i.test(await askText(`${question} [y/N] `));
}

const terminal = {
  write: (text: string) => void process.stdout.write(text),
  note: (text: string) => void process.stderr.write(text),
  ask: isThere ? ask : null,
  environment: process.env,
  signal: stop.signal,
};

async function run(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  if (command !== 'serve' && command !== 'acp') return runCommand(args, terminal);
  const beside = (name: string) => path.join(__dirname, `${name}.js`);
  const { version } = JSON.parse(readFileSync(path.join(__dirname, '..', 'package.json'), 'utf8')) as { version: string };
  const workers = {
    ...{ database: beside('databaseWorker'), search: beside('searchWorker') },
    ...{ checkpoint: beside('checkpointWorker'), codebase: beside('codebaseWorker') },
  };
  const around = { ...terminal, version, workers };
  if (command === 'acp') {
    const { acp, ownStream } = await import(/* webpackChunkName: "serve" */ '../serve/acp/acp');
    return acp(rest, around, ownStream);
  }
  const { serve } = await import(/* webpackChunkName: "serve" */ '../serve/serve');
  return serve(rest, { ...around, askText: isThere ? askText : null });
}

void run(process.argv.slice(2)).then((code) => (process.exitCode = code));
