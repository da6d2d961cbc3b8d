import { mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import * as vscode from 'vscode';
import { OllamaDouble } from '../../support/ollama/double';
import type { RecordedRequest } from '../../support/ollama/doubleExchange';
import { perfectMiddle } from '../../support/ollama/fimReply';
import { until } from '../../support/until';

const model = { name: 'qwen2.5-coder:1.5b-base', architecture: 'qwen2' };
const inlineSuggest = 'editor.action.inlineSuggest';
const words = 'quickSuggestions';

/** A double whose model knows one text by heart, and a workspace folder for files in which a part of the text is missing. */
export class CompletionEditor {
  private constructor(
    readonly double: OllamaDouble,
    readonly folder: string,
    private readonly whole: string,
  ) {}

  static async start(whole: string): Promise<CompletionEditor> {
    const double = await OllamaDouble.start({ models: [model] });
    double.onGenerate((request) => perfectMiddle(request, [whole]));
    await set('baseUrl', double.url);
    await set('completionMode.model', model.name);
    // Suggestions are not shown automatically next to the word list, which opens while the user types.
    await vscode.workspace.getConfiguration('editor').update(words, false, vscode.ConfigurationTarget.Global);
    const workspace = vscode.workspace.workspaceFolders?.[0]?.uri.fsPath ?? process.cwd();
    return new CompletionEditor(double, realpathSync.native(mkdtempSync(path.join(workspace, 'completions-'))), whole);
  }

  async stop(): Promise<void> {
    for (const key of ['baseUrl', 'completionMode.model']) await set(key, undefined);
    await vscode.workspace.getConfiguration('editor').update(words, undefined, vscode.ConfigurationTarget.Global);
    await this.double.close();
    rmSync(this.folder, { recursive: true, force: true });
  }

  /** Number of completions requested, without those of the self-test. */
  get asked(): number {
    return this.questions.length;
  }

  private get questions(): RecordedRequest[] {
    const known = this.whole.slice(0, 20);
    return this.double.requestsTo('/api/generate').filter(({ rawBody }) => rawBody.includes(JSON.stringify(known).slice(1, -1)));
  }

  /** Opens a file with this text. Each `|` is a cursor. */
  async open(name: string, text: string): Promise<vscode.TextEditor> {
    const file = path.join(this.folder, name);
    const parts = text.split('|');
    writeFileSync(file, parts.join(''));
    const editor = await vscode.window.showTextDocument(await vscode.workspace.openTextDocument(file));
    const ends = parts.slice(0, -1).map((_, index) => parts.slice(0, index + 1).join('').length);
    editor.selections = ends.map((end) => new vscode.Selection(editor.document.positionAt(end), editor.document.positionAt(end)));
    return editor;
  }

  /** Resolves when the model has received a request after the first `before` ones and has answered all requests. */
  async answered(before: number): Promise<void> {
    await until(() => this.asked > before && this.questions.every(({ finished, aborted }) => finished || aborted));
  }

  /** Retries until the editor accepts a suggestion, because an extension cannot detect when a suggestion is shown. */
  async accept({ document }: vscode.TextEditor, how = `${inlineSuggest}.commit`): Promise<void> {
    const before = document.version;
    await until(async () => {
      await vscode.commands.executeCommand(`${inlineSuggest}.trigger`);
      await pause(100);
      await vscode.commands.executeCommand(how);
      return document.version !== before;
    }, 'no suggestion came');
  }
}

export async function type(text: string): Promise<void> {
  for (const character of text) await vscode.commands.executeCommand('type', { text: character });
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

function set(key: string, value: unknown): Thenable<void> {
  return vscode.workspace.getConfiguration('ollamaCopilot').update(key, value, vscode.ConfigurationTarget.Global);
}
