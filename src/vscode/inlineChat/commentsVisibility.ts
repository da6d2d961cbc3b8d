import * as vscode from 'vscode';

/** Milliseconds in which the editor has a text box ready. */
const patience = 1000;
const toggle = 'workbench.action.toggleCommenting';

/**
 * Makes the editor draw comments where `comments.visible` is off and no text box comes up; undone with `restore`. A person may have switched them on in
 * the window, which only shows in the text box that comes up.
 */
export class CommentsVisibility {
  private isSwitched = false;

  async afterAsking(ask: () => void): Promise<void> {
    if (this.isSwitched || isOn()) {
      ask();
      return;
    }
    let subscription: vscode.Disposable | undefined;
    let timer: NodeJS.Timeout | undefined;
    const drawn = new Promise<boolean>((resolve) => {
      subscription = vscode.workspace.onDidOpenTextDocument(({ uri }) => uri.scheme === 'comment' && resolve(true));
      timer = setTimeout(() => resolve(false), patience);
    });
    ask();
    const isDrawn = await drawn;
    clearTimeout(timer);
    subscription?.dispose();
    if (isDrawn) return;
    this.isSwitched = true;
    await vscode.commands.executeCommand(toggle);
  }

  /** Hides comments again if they were hidden before. */
  restore(): void {
    if (!this.isSwitched) return;
    this.isSwitched = false;
    // A setting that was switched on meanwhile has shown them already.
    if (!isOn()) void vscode.commands.executeCommand(toggle);
  }
}

function isOn(): boolean {
  return vscode.workspace.getConfiguration('comments').get('visible', true);
}
