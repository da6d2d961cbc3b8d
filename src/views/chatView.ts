import * as vscode from 'vscode';
import type { Channel, ViewPort } from '../protocol/rpc';
import type { ViewEventName, ViewEvents } from '../protocol/webviewEvents';
import type { Logger } from '../utils/logger';
import { copiedViewState } from './viewState';
import { webviewHtml } from './webviewHtml';

export interface ViewConnection extends vscode.Disposable {
  port: ViewPort;
}

/** Loads the services and connects the view. `onReady` is called when the view can show events. */
type Connect = (channel: Channel, onReady: () => void) => Promise<ViewConnection>;

/** Provides the chat in the side bar. Only handles lifecycle and routing. The services load when a view opens. */
export class ChatViewProvider implements vscode.WebviewViewProvider {
  static readonly viewId = 'ollamaCopilot.chatView';
  private view: vscode.WebviewView | undefined;
  private port: ViewPort | undefined;
  private pending: (() => void)[] = [];

  constructor(
    private readonly extensionUri: vscode.Uri,
    private readonly memento: Pick<vscode.Memento, 'get'>,
    private readonly connect: Connect,
    private readonly logger: Logger,
  ) {}

  async resolveWebviewView(view: vscode.WebviewView): Promise<void> {
    const media = vscode.Uri.joinPath(this.extensionUri, 'media');
    view.webview.options = { enableScripts: true, localResourceRoots: [media] };
    let isGone = false;
    let connection: ViewConnection | undefined;
    view.onDidDispose(() => {
      isGone = true;
      connection?.dispose();
      if (this.view === view) this.view = this.port = undefined;
    });
    const channel = this.channelTo(view.webview);
    this.view = view;
    this.port = undefined;
    // The page loads in parallel with the services.
    view.webview.html = webviewHtml(view.webview, this.extensionUri, copiedViewState(this.memento));
    try {
      connection = await this.connect(channel, () => {
        for (const send of this.pending.splice(0)) send();
      });
    } catch (error) {
      this.logger.error('The chat could not be loaded', error);
      void vscode.window.showErrorMessage(vscode.l10n.t('Could not load the chat. Reload the window, then try again.'));
      return;
    }
    if (isGone) connection.dispose();
    else if (this.view === view) this.port = connection.port;
  }

  /** Shows the view and then sends the event. If the view is still loading, sends the event when it is ready. */
  async reveal<K extends ViewEventName>(name: K, value: ViewEvents[K]): Promise<void> {
    const send = () => this.port?.emit(name, value);
    // A hidden view has no document. The event is sent when the view is ready again.
    if (this.view?.visible && this.port !== undefined) {
      this.view.show(false);
      send();
    } else {
      this.pending.push(send);
      await vscode.commands.executeCommand(`${ChatViewProvider.viewId}.focus`);
    }
  }

  /** Shows an error in the view if it is visible. Otherwise, shows a notification. */
  tell(message: string): void {
    if (this.view?.visible && this.port !== undefined) this.port.emit('problem', { message });
    else void vscode.window.showErrorMessage(message);
  }

  /** Shows a storage error with a button that opens the chat. A visible view shows the error itself. */
  async tellStorageProblem(message: string): Promise<void> {
    if (this.view?.visible) return;
    const open = vscode.l10n.t('Open Chat');
    if ((await vscode.window.showErrorMessage(message, open)) === open) await this.reveal('focusComposer', {});
  }

  /** Creates the channel to the page. Messages are queued until there is a listener. */
  private channelTo(webview: vscode.Webview): Channel {
    const early: unknown[] = [];
    let hear = (message: unknown): void => void early.push(message);
    webview.onDidReceiveMessage((message: unknown) => hear(message));
    return {
      post: (message) =>
        void webview.postMessage(message).then(undefined, (error: unknown) => this.logger.debug('Message not delivered', error)),
      onMessage: (listener) => {
        hear = listener;
        for (const message of early.splice(0)) listener(message);
      },
    };
  }
}
