import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import path from 'node:path';
import type { Page } from 'playwright-core';
import { launchBrowser } from '../../support/vscode/browser';
import { repository } from '../../support/vscode/location';
import { removeFolder, temporaryFolder } from '../../support/vscode/temporaryFolder';
import { EditorWindow, indented } from './editorWindow';

/** No server listens on the `tcpmux` port, so `npm start` finds no Ollama server there. */
const noOllama = 'http://127.0.0.1:1';

/** Window that `npm start` opens without a desktop VS Code and without an Ollama server, in the browser of the tests. */
export class StartedWindow extends EditorWindow {
  private constructor(
    folder: string,
    page: Page,
    /** Address of the window until `close`. */
    readonly url: string,
    private readonly start: ChildProcess,
    private readonly temporary: string,
    private readonly said: () => string,
  ) {
    super(folder, page);
  }

  static async open(): Promise<StartedWindow> {
    const temporary = await temporaryFolder();
    const env: NodeJS.ProcessEnv = { ...process.env, TMPDIR: temporary, OLLAMA_HOST: noOllama, BROWSER: 'none' };
    // Simulates an editor's terminal, where `npm start` uses no desktop editor. Hides the socket of a real editor.
    env['VSCODE_IPC_HOOK_CLI'] = path.join(temporary, 'none');
    const start = spawn(process.execPath, [path.join(repository, 'scripts', 'start.mjs')], {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    const url = await new Promise<string>((resolve, reject) => {
      for (const stream of [start.stdout, start.stderr]) {
        stream.on('data', (chunk: Buffer) => {
          said += chunk.toString();
          const ready = /^Ready: (\S+)/m.exec(said)?.[1];
          if (ready !== undefined) resolve(ready);
        });
      }
      start.once('exit', (code) => reject(new Error(`npm start ended with code ${String(code)}:\n${said}`)));
    });
    const browser = await launchBrowser();
    const page = await browser.newPage({ viewport: { width: 1280, height: 860 } });
    const folder = new URL(url).searchParams.get('folder') ?? '';
    const window = new StartedWindow(folder, page, url, start, temporary, () => said);
    await page.goto(url);
    await window.witnessed('start', window.untilLoaded());
    return window;
  }

  /** Output of `npm start` so far. */
  get output(): string {
    return this.said();
  }

  /** Sends SIGINT, as Ctrl+C does. Returns the exit code and the remaining temporary files. */
  async end(): Promise<{ code: number | null; left: string[] }> {
    const exited = once(this.start, 'exit') as Promise<[number | null]>;
    this.start.kill('SIGINT');
    const [code] = await exited;
    return { code, left: await readdir(this.temporary) };
  }

  override async shown(): Promise<string> {
    return [await super.shown(), indented(this.output.split('\n'))].join('\n');
  }

  override async close(): Promise<void> {
    const browser = this.page.context().browser();
    await super.close();
    await browser?.close();
    if (this.start.exitCode === null && this.start.signalCode === null) await this.end();
    await removeFolder(this.temporary);
  }
}
