import * as vscode from 'vscode';
import type { TerminalOutput } from '../../agent/prompt/mentionReader';
import type { Disposable } from '../../utils/disposable';

/** Maximum length of the stored output, in characters. The end is kept because it is the most informative part. */
const maxKept = 64 * 1024;

/** Remembers the last command that the user ran in a terminal with shell integration. Nothing is written to disk. */
export class LastTerminalOutput implements Disposable {
  private latest: TerminalOutput | null = null;
  private readonly listener = vscode.window.onDidStartTerminalShellExecution(({ execution }) => void this.follow(execution));

  last(): TerminalOutput | null {
    return this.latest;
  }

  dispose(): void {
    this.listener.dispose();
  }

  private async follow(execution: vscode.TerminalShellExecution): Promise<void> {
    const here: TerminalOutput = { command: execution.commandLine.value, output: '' };
    this.latest = here;
    try {
      for await (const text of execution.read()) here.output = (here.output + text).slice(-maxKept);
    } catch {
      // The terminal was closed. The output received so far is complete.
    }
  }
}
