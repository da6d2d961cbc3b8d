import * as vscode from 'vscode';
import type { EngineState } from '../../completion/completionEngine';
import { nothingText } from './completionTexts';

/** State of suggestions that the status bar shows. */
export interface CompletionStatus {
  /** Empty: none is chosen, and nothing is shown. */
  model: string;
  isAutomatic: boolean;
  /** Milliseconds since the epoch; 0 if not snoozed. */
  snoozedUntil: number;
  /** Null before the first question. */
  engine: EngineState | null;
  /** True if chat uses the same model. */
  isShared: boolean;
}

/** Command behind the item. */
export const menuCommand = '_ollamaCopilot.completionMenu';

/** Shows in the status bar how suggestions stand, and why none came. */
export class CompletionStatusItem implements vscode.Disposable {
  private item: vscode.StatusBarItem | undefined;
  /** Text and tooltip as the editor has them. */
  private shown = '';

  update(status: CompletionStatus, now: number): void {
    if (status.model === '') {
      this.item?.hide();
      this.shown = '';
      return;
    }
    const [icon, state] = stateOf(status, now);
    const tooltip = [state, ...linesOf(status)].join('\n');
    // Each key asks; the editor is told only of what is new.
    const shown = `${icon}\n${tooltip}`;
    if (shown === this.shown) return;
    this.shown = shown;
    const item = (this.item ??= createItem());
    item.text = icon;
    item.tooltip = tooltip;
    item.accessibilityInformation = { label: vscode.l10n.t('Suggestions: {0}', state), role: 'button' };
    item.show();
  }

  dispose(): void {
    this.item?.dispose();
  }
}

/** Creates the item when a model is first chosen. */
function createItem(): vscode.StatusBarItem {
  const item = vscode.window.createStatusBarItem('ollamaCopilot.completions', vscode.StatusBarAlignment.Right, 99);
  item.name = vscode.l10n.t('Ollama Copilot Suggestions');
  item.command = menuCommand;
  return item;
}

function stateOf({ isAutomatic, snoozedUntil, engine, model }: CompletionStatus, now: number): [icon: string, state: string] {
  const { t } = vscode.l10n;
  if (!isAutomatic) return ['$(circle-slash)', t('Suggestions while typing are off')];
  if (snoozedUntil > now) {
    const until = new Date(snoozedUntil).toLocaleTimeString(vscode.env.language, { hour: '2-digit', minute: '2-digit' });
    return ['$(bell-slash)', t('Suggestions are snoozed until {0}', until)];
  }
  if (engine?.activity === 'loading') return ['$(loading~spin)', t('Loading {0} into memory', model)];
  if (engine?.activity === 'thinking') return ['$(loading~spin)', t('{0} is writing a suggestion', model)];
  if (engine?.isSwapped) return ['$(warning)', t('Suggestions from {0}', model)];
  if (engine?.nothing?.code === 'unfit' || engine?.nothing?.code === 'failed')
    return ['$(warning)', t('Suggestions from {0}', model)];
  return ['$(sparkle)', t('Suggestions from {0}', model)];
}

function linesOf({ engine, isShared }: CompletionStatus): string[] {
  const { t } = vscode.l10n;
  return [
    ...(engine?.latency == null
      ? []
      : [t('{0} ms until a suggestion, the median of the last 20', engine.latency.toLocaleString())]),
    ...(engine?.nothing ? [t('Last time nothing came: {0}', nothingText(engine.nothing))] : []),
    ...(engine?.isSwapped
      ? [
          t(
            'The server loads it again and again: it does not fit into memory beside the model of the chat. Use one model for both, or a smaller one here.',
          ),
        ]
      : []),
    ...(isShared ? [t('Chat uses this model too: after suggestions it may read its conversation anew.')] : []),
    t('Select for more.'),
  ];
}
