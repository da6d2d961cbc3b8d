import { readFileSync } from 'node:fs';
import path from 'node:path';
import { runCommand } from './commands';
import { exitCodes } from './exitCodes';
import { personTerminal, type Terminal } from './personTerminal';
import { pipedInput } from './pipedInput';
import { typedLine } from './typedLine';

const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stop.abort(signal));

const { stdin: input, stdout, stderr } = process;
// The program that reads the output has ended, as in `| head`.
for (const output of [stdout, stderr])
  output.on('error', () => {
    stop.abort('SIGPIPE');
    process.exitCode = exitCodes.SIGPIPE;
  });
const isThere = input.isTTY && stderr.isTTY;
const askText = (prompt: string, signal?: AbortSignal) =>
  typedLine({ input, output: stderr, signal: signal ? AbortSignal.any([stop.signal, signal]) : stop.signal }, prompt);
const own = personTerminal({ stdout, stderr }, isThere ? askText : null);
const terminal: Terminal = {
  ...own,
  readInput: () => pipedInput(input, (text) => own.note(text), stop.signal),
  environment: process.env,
  signal: stop.signal,
  version: versionAbove(__dirname),
};

async function run(args: readonly string[]): Promise<number> {
  const [command, ...rest] = args;
  if (command !== 'serve' && command !== 'acp') return runCommand(args, terminal);
  const beside = (name: string) => path.join(__dirname, `${name}.js`);
  const workers = {
    database: beside('databaseWorker'),
    search: beside('searchWorker'),
    checkpoint: beside('checkpointWorker'),
    codebase: beside('codebaseWorker'),
    importer: beside('importWorker'),
    wasm: path.join(__dirname, 'sql-wasm.wasm'),
  };
  const around = { ...terminal, workers };
  if (command === 'acp') {
    const { acp, ownStream } = await import(/* webpackChunkName: "serve" */ '../serve/acp/acp');
    return acp(rest, around, ownStream);
  }
  const { serve } = await import(/* webpackChunkName: "serve" */ '../serve/serve');
  return serve(rest, around);
}

/** Returns the version of the package that contains a folder. */
function versionAbove(folder: string): string {
  try {
    const { name, version } = JSON.parse(readFileSync(path.join(folder, 'package.json'), 'utf8')) as Record<string, string>;
    if (name === 'ollama-copilot' && version !== undefined) return version;
  } catch {
    // The package is in a parent folder.
  }
  const above = path.dirname(folder);
  return above === folder ? '0.0.0' : versionAbove(above);
}

void run(process.argv.slice(2)).then((code) => {
  if (stop.signal.reason !== 'SIGPIPE') process.exitCode = code;
});
