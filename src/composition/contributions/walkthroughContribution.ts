import * as vscode from 'vscode';
import { DisposableStore } from '../../utils/disposable';
import { currentMode } from '../../views/activeSession';
import type { Contribution, WindowServices } from '../contribution';

/** Marks walkthrough steps as complete when their condition is met, even outside the walkthrough. VS Code stores these marks. */
export const walkthroughContribution: Contribution = {
  name: 'walkthrough',
  start: (services) => new WalkthroughSteps(services),
};

type StepServices = Pick<WindowServices, 'context' | 'onDidLoadServer' | 'onDidStartSessions'>;

/** Context keys that complete steps in `package.json`. */
type Step = 'connected' | 'hasModel' | 'hasAsked' | 'hasRunAgent';

export class WalkthroughSteps extends DisposableStore {
  private readonly done = new Set<Step>();

  constructor({ context, onDidLoadServer, onDidStartSessions }: StepServices) {
    super();
    this.add(
      onDidLoadServer(({ connection, catalog }) => {
        const look = () => {
          if (connection.state.state === 'connected') this.complete('connected');
        };
        look();
        this.add(connection.onDidChange(look));
        this.add(
          catalog.onDidChange(({ selected }) => {
            if (Object.values(selected).some((model) => model !== null)) this.complete('hasModel');
          }),
        );
      }),
    );
    this.add(
      onDidStartSessions(({ controller }) => {
        this.add(
          controller.onDidChangeRunState(({ state }) => {
            if (state !== 'running') return;
            this.complete('hasAsked');
            if (currentMode(context.workspaceState) === 'agent') this.complete('hasRunAgent');
          }),
        );
      }),
    );
  }

  private complete(step: Step): void {
    if (this.done.has(step)) return;
    this.done.add(step);
    void vscode.commands.executeCommand('setContext', `ollamaCopilot.${step}`, true);
  }
}
