import { readFileSync } from 'node:fs';
import path from 'node:path';
import { runCommand } from './commands';
import { personTerminal, type Terminal } from './personTerminal';
import { typedLine } from './typedLine';

/** Entry point of the command `ollama-copilot`. */
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort());

const { stdin: input, stdout, stderr } = process;
const isThere = input.isTTY && stderr.isTTY;
const askText = (prompt: string) => typedLine({ input, output: stderr, signal: stop.signal }, prompt);
const terminal: Terminal = {
  ...personTerminal({ stdout, stderr }, isThere ? askText : null),
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
  return serve(rest, around);
}

void run(process.argv.slice(2)).then((code) => (process.exitCode = code));
