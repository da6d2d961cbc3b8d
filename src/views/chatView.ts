import * as vscode from 'vscode';
import { hostRequests, type HostApi, type HostRequestName } from '../protocol/hostApi';
import { connectHost, RequestFailure, type Channel, type ViewPort } from '../protocol/rpc';
import type { ViewEventName, ViewEvents } from '../protocol/webviewEvents';
import { AppError } from '../utils/errors';
import type { Logger } from '../utils/logger';
import { webviewHtml } from './webviewHtml';

/** What the view needs from the rest: its requests answered, and the events of what it shows. */
export interface ChatViewBackend {
  api: HostApi;
  /** Forwards events to the view until disposed; called whenever a view comes up. */
  attach(view: ViewPort): vscode.Disposable;
}

/** The chat in the side bar: lifecycle and routing only. */
export class ChatViewProvider implements vscode.WebviewViewProvider {
  static readonly viewId = 'ollamaCopilot.chatView';
  private view: vscode.WebviewView | undefined;
  private port: ViewPort | undefined;
  private pending: (() => void)[] = [];

  constructor(
    private readonly extensionUri: vscode.Uri,
    private readonly backend: ChatViewBackend,
    private readonly logger: Logger,
  ) {}

  resolveWebviewView(view: vscode.WebviewView): void {
    const media = vscode.Uri.joinPath(this.extensionUri, 'media');
    view.webview.options = { enableScripts: true, localResourceRoots: [media] };

    const channel: Channel = {
      post: (message) =>
        void view.webview
          .postMessage(message)
          .then(undefined, (error: unknown) => this.logger.debug('Message not delivered', error)),
      onMessage: (listener) => void view.webview.onDidReceiveMessage(listener),
    };
    const api = this.reporting((name) => {
      if (name !== 'ready') return;
      // After the answer itself has gone out.
      setImmediate(() => {
        for (const send of this.pending.splice(0)) send();
      });
    });
    const port = connectHost(channel, api, (problem) => this.logger.warn(problem));
    const attached = this.backend.attach(port);
    this.view = view;
    this.port = port;
    view.onDidDispose(() => {
      attached.dispose();
      if (this.view === view) this.view = this.port = undefined;
    });
    view.webview.html = webviewHtml(view.webview, this.extensionUri);
  }

  /** Brings the view to the front, then sends the event: also to a view that is only now coming up. */
  async reveal<K extends ViewEventName>(name: K, value: ViewEvents[K]): Promise<void> {
    const send = () => this.port?.emit(name, value);
    // A hidden view has no document to hear anything: like one that was never shown, it is told when it is up.
    if (this.view?.visible) {
      this.view.show(false);
      send();
    } else {
      this.pending.push(send);
      await vscode.commands.executeCommand(`${ChatViewProvider.viewId}.focus`);
    }
  }

  /** A failure outside the conversation: in the view where it can be seen, else as a notification. */
  tell(message: string): void {
    if (this.view?.visible) this.port?.emit('problem', { message });
    else void vscode.window.showErrorMessage(message);
  }

  /** The view shows it by itself; whoever does not see the view is led there. */
  async tellStorageProblem(message: string): Promise<void> {
    if (this.view?.visible) return;
    const open = vscode.l10n.t('Open Chat');
    if ((await vscode.window.showErrorMessage(message, open)) === open) await this.reveal('focusComposer', {});
  }

  /** A failure is logged, and reaches the view in words for a person and with its code. */
  private reporting(onAnswered: (name: HostRequestName) => void): HostApi {
    const { api } = this.backend;
    const answer = async (name: HostRequestName, params: never): Promise<unknown> => {
      try {
        const result = await (api[name] as (params: never) => Promise<unknown>)(params);
        onAnswered(name);
        return result;
      } catch (error) {
        this.logger.error(`${name} failed`, error);
        if (error instanceof AppError) throw new RequestFailure(error.code, error.userMessage, { cause: error });
        const text = vscode.l10n.t('Something went wrong inside Ollama Copilot. Try again; the log has the details.');
        throw new RequestFailure('internal', text, { cause: error });
      }
    };
    const names = Object.keys(hostRequests) as HostRequestName[];
    return Object.fromEntries(names.map((name) => [name, (params: never) => answer(name, params)])) as unknown as HostApi;
  }
}
