import * as vscode from 'vscode';
import type { Channel, ViewPort } from '../protocol/rpc';
import type { ViewEventName, ViewEvents } from '../protocol/webviewEvents';
import type { Logger } from '../utils/logger';
import { webviewHtml } from './webviewHtml';

/** A view that is up and answered, until disposed. */
export interface ViewConnection extends vscode.Disposable {
  port: ViewPort;
}

/** Loads what answers the view and joins them; `onReady` is called when the view has what it needs to show itself. */
type Connect = (channel: Channel, onReady: () => void) => Promise<ViewConnection>;

/** The chat in the side bar: lifecycle and routing only. Whatever a view asks for is loaded when one comes up. */
export class ChatViewProvider implements vscode.WebviewViewProvider {
  static readonly viewId = 'ollamaCopilot.chatView';
  private view: vscode.WebviewView | undefined;
  private port: ViewPort | undefined;
  private pending: (() => void)[] = [];

  constructor(
    private readonly extensionUri: vscode.Uri,
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
    // Its page loads while what answers it does.
    view.webview.html = webviewHtml(view.webview, this.extensionUri);
    try {
      connection = await this.connect(channel, () => {
        for (const send of this.pending.splice(0)) send();
      });
    } catch (error) {
      this.logger.error('The chat could not be loaded', error);
      void vscode.window.showErrorMessage(vscode.l10n.t('The chat could not be loaded. Reload the window to try again.'));
      return;
    }
    if (isGone) connection.dispose();
    else if (this.view === view) this.port = connection.port;
  }

  /** Brings the view to the front, then sends the event: also to a view that is only now coming up. */
  async reveal<K extends ViewEventName>(name: K, value: ViewEvents[K]): Promise<void> {
    const send = () => this.port?.emit(name, value);
    // A hidden view has no document to hear anything: like one that was never shown, it is told when it is up.
    if (this.view?.visible && this.port !== undefined) {
      this.view.show(false);
      send();
    } else {
      this.pending.push(send);
      await vscode.commands.executeCommand(`${ChatViewProvider.viewId}.focus`);
    }
  }

  /** A failure outside the conversation: in the view where it can be seen, else as a notification. */
  tell(message: string): void {
    if (this.view?.visible && this.port !== undefined) this.port.emit('problem', { message });
    else void vscode.window.showErrorMessage(message);
  }

  /** The view shows it by itself; whoever does not see the view is led there. */
  async tellStorageProblem(message: string): Promise<void> {
    if (this.view?.visible) return;
    const open = vscode.l10n.t('Open Chat');
    if ((await vscode.window.showErrorMessage(message, open)) === open) await this.reveal('focusComposer', {});
  }

  /** Opens the channel to the page; messages that come before anybody listens are kept. */
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
