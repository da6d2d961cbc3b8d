import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { OllamaDouble } from '../../../support/ollama/double';
import type { ModelSpec } from '../../../support/ollama/doubleModel';
import { EditorDouble } from './editor';

/** A project, a storage, a model server, and an editor that runs the agent on them. */
export class Workplace {
  private constructor(
    readonly root: string,
    readonly folder: string,
    readonly double: OllamaDouble,
    readonly args: readonly string[],
    public editor: EditorDouble,
  ) {}

  static async open(
    models: readonly ModelSpec[],
    more: readonly string[] = ['--model', 'worker'],
    own: object = {},
  ): Promise<Workplace> {
    const root = await realpath(await mkdtemp(path.join(tmpdir(), 'ollama-copilot-acp-')));
    const folder = path.join(root, 'project');
    await mkdir(folder);
    await writeFile(path.join(folder, 'main.py'), 'one\ntwo\nthree\n');
    const double = await OllamaDouble.start({ models });
    const settings = path.join(root, 'settings.json');
    // The context window is large enough for all tools.
    await writeFile(settings, JSON.stringify({ contextWindow: 32_768, ...own }));
    const args = ['--storage', path.join(root, 'storage'), '--base-url', double.url, '--settings', settings, ...more];
    return new Workplace(root, folder, double, args, new EditorDouble(args));
  }

  /** Ends the agent and starts a new one on the same storage. */
  async restart(args: readonly string[] = this.args): Promise<EditorDouble> {
    await this.editor.leave();
    this.editor = new EditorDouble(args);
    return this.editor;
  }

  async close(): Promise<void> {
    await this.editor.leave();
    await this.double.close();
    await rm(this.root, { recursive: true, force: true });
  }
}
