import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { runCommand } from '../../../src/cli/commands';
import { serve } from '../../../src/serve/serve';
import { OllamaDouble } from '../../support/ollama/double';
import { until } from '../../support/until';
import { serveWorkers as workers } from './support';

export const size = () => ({ columns: 80, rows: 24 });

/** Answers the prompts of a terminal, or null if there is no terminal. */
type AskText = ((prompt: string) => Promise<string>) | null;

/** A running `serve`. */
export interface Served {
  noted(): string;
  end(): Promise<number>;
}

/** Servers without an editor in this process that share a folder and a storage, and their clients. */
export class ServeBench {
  private readonly served: Served[] = [];

  private constructor(
    readonly root: string,
    readonly double: OllamaDouble,
  ) {}

  static async start(): Promise<ServeBench> {
    const root = await realpath(await mkdtemp(path.join(tmpdir(), 'ollama-copilot-serve-')));
    const models = [{ name: 'worker', capabilities: ['completion' as const, 'tools' as const] }];
    const bench = new ServeBench(root, await OllamaDouble.start({ models }));
    await mkdir(bench.folder);
    return bench;
  }

  get folder(): string {
    return path.join(this.root, 'project');
  }

  get storage(): string {
    return path.join(this.root, 'storage');
  }

  begin(args: string[], askText: AskText = null): Served {
    let noted = '';
    const stop = new AbortController();
    const fixed = ['--storage', this.storage, '--base-url', this.double.url, '--model', 'worker', '--port', '0'];
    const done = serve([...fixed, ...args], {
      note: (text) => void (noted += text),
      fresh: () => undefined,
      write: () => undefined,
      size,
      askText,
      environment: {},
      signal: stop.signal,
      workers,
      version: '1.0.0',
    });
    const one = {
      noted: () => noted,
      end: async () => {
        stop.abort();
        return done;
      },
    };
    this.served.push(one);
    return one;
  }

  /** Resolves when the server accepts requests. */
  async ready(args: string[], askText: AskText = null): Promise<Served> {
    const one = this.begin(args, askText);
    await until(() => one.noted().includes('Serving'));
    return one;
  }

  /** Runs a client command without a terminal. */
  async client(args: string[]): Promise<{ code: number; text: string }> {
    let text = '';
    const code = await runCommand(['--connect', path.join(this.storage, 'api.json'), ...args], {
      write: (written) => void (text += written),
      writeDocument: (written) => void (text += written),
      note: (written) => void (text += written),
      fresh: () => undefined,
      size,
      askText: null,
      environment: {},
      signal: new AbortController().signal,
      version: '1.0.0',
      readInput: () => Promise.resolve(''),
    });
    return { code, text };
  }

  async stop(): Promise<void> {
    for (const one of this.served.splice(0)) await one.end();
    await this.double.close();
    await rm(this.root, { recursive: true, force: true });
  }
}
