import * as vscode from 'vscode';

/** Maximum time until the editor shows a text box, in milliseconds. */
const patience = 1000;
const toggle = 'workbench.action.toggleCommenting';

/**
 * Shows comments if `comments.visible` is off and no text box appears. `restore` reverts this. The user can also show comments
 * for a single window, so only the text box indicates whether comments are visible.
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

  /** Hides comments if they were hidden before. */
  restore(): void {
    if (!this.isSwitched) return;
    this.isSwitched = false;
    // If the setting was turned on in the meantime, the toggle would hide comments.
    if (!isOn()) void vscode.commands.executeCommand(toggle);
  }
}

function isOn(): boolean {
  return vscode.workspace.getConfiguration('comments').get('visible', true);
}
