import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { startExtension } from '../support/editorDouble';
import { many, median, report } from './support/figures';
import { conversation, keepModel, openService } from './support/history';

/**
 * Measures what opening a long session costs the host, with the built extension and its database: from the view's request to the response,
 * and the work of the host's thread until the view has the fill level of the context window. Alternates with a short session.
 */

const extension = path.join(__dirname, '../../../dist/extension.js');
const rounds = many(15);
const short = 50;
/** Number of entries sent at once, see `src/views/handlers/sessionHandlers.ts`. */
const page = 300;
const long = 5_000;

/**
 * Milliseconds of one opening: until the response, of the host's thread until everything is sent, and the longest block of its event loop.
 */
interface Opening {
  answer: number;
  thread: number;
  silence: number;
}

interface Message {
  t: string;
  i?: string;
  m?: string;
}

async function main(): Promise<void> {
  const directory = mkdtempSync(path.join(tmpdir(), 'ollama-copilot-bench-'));
  try {
    const service = openService(directory);
    await service.initialize();
    await keepModel(service);
    const ids: string[] = [];
    for (const entries of [short, page, long]) ids.push(await conversation(service, entries));
    await service.dispose();
    const output = execFileSync(process.execPath, [__filename, directory, ...ids], { encoding: 'utf8' });
    const [few = [], whole = [], many = []] = JSON.parse(output) as Opening[][];
    const of = (openings: Opening[], what: keyof Opening) => median(openings.map((opening) => opening[what]));
    const name = `${long.toLocaleString('en')} entries`;
    report('session', `${name} opened, beside ${short}`, 'ms', of(many, 'answer'), of(few, 'answer'), 'value ≤ 100');
    report('session', `${name} opened, beside ${page}`, 'ms', of(many, 'answer'), of(whole, 'answer'), 'ratio ≤ 1.5');
    report('session', `${name}, the thread until all is told`, 'ms', of(many, 'thread'), of(whole, 'thread'), 'value ≤ 100');
    report('session', `${name}, the host's longest silence`, 'ms', of(many, 'silence'), of(whole, 'silence'), 'value ≤ 50');
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

function measure(directory: string, ids: readonly string[]): void {
  const settings = { baseUrl: 'http://127.0.0.1:9', storagePath: directory };
  const { providers } = startExtension({ extension, isInstalled: true, directory, settings }, () => {
    const view = new View();
    void providers[0]?.resolveWebviewView(view.asEditorGivesIt());
    void view.ask('ready', {}).then(async () => {
      const openings: Opening[][] = ids.map(() => []);
      for (let round = -2; round < rounds; round += 1) {
        for (const [index, sessionId] of ids.entries()) {
          const opening = await open(view, sessionId);
          if (round >= 0) openings[index]?.push(opening);
        }
      }
      process.stdout.write(JSON.stringify(openings), () => process.exit(0));
    });
  });
}

async function open(view: View, sessionId: string): Promise<Opening> {
  const used = process.threadCpuUsage();
  const start = performance.now();
  let last = start;
  let silence = 0;
  const listening = setInterval(() => {
    const now = performance.now();
    silence = Math.max(silence, now - last);
    last = now;
  }, 1);
  await view.ask('openSession', { sessionId, sinceRevision: 0 });
  const answer = performance.now() - start;
  await view.event('context');
  await view.quiet();
  clearInterval(listening);
  const { user, system } = process.threadCpuUsage(used);
  return { answer, thread: (user + system) / 1000, silence };
}

/** The view's end of the channel. */
class View {
  private hear: (message: unknown) => void = () => undefined;
  private readonly waiting = new Map<string, () => void>();
  private count = 0;
  private heard = 0;

  ask(name: string, params: object): Promise<void> {
    const id = String((this.count += 1));
    const answered = this.event(id);
    this.hear({ t: 'q', i: id, m: name, a: [params] });
    return answered;
  }

  /** Resolves when the host has sent nothing for a while. */
  async quiet(): Promise<void> {
    for (let heard = -1; heard !== this.heard;) {
      heard = this.heard;
      await setTimeout(100);
    }
  }

  /** Resolves with the next event of that name, or with the response to a request. */
  event(name: string): Promise<void> {
    return new Promise((resolve) => this.waiting.set(name, resolve));
  }

  asEditorGivesIt() {
    return {
      visible: true,
      onDidDispose: () => undefined,
      webview: {
        options: {},
        html: '',
        cspSource: '',
        asWebviewUri: (uri: unknown) => uri,
        postMessage: async (message: Message) => {
          // Serializes the message, as the editor does to send it to another process.
          JSON.stringify(message);
          this.heard += 1;
          const name = (message.t === 's' ? message.i : message.m) ?? '';
          this.waiting.get(name)?.();
          this.waiting.delete(name);
          return Promise.resolve(true);
        },
        onDidReceiveMessage: (listener: (message: unknown) => void) => (this.hear = listener),
      },
    };
  }
}

const [directory, ...ids] = process.argv.slice(2);
if (directory === undefined) void main();
else measure(directory, ids);
