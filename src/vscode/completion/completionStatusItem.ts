import * as vscode from 'vscode';
import { clockTime, formatNumber } from '../../types/format';
import type { EngineState } from '../../completion/completionEngine';
import type { NoSuggestion } from '../../completion/completionTypes';
import { nothingText } from './completionTexts';

export interface CompletionStatus {
  /** Selected model. If there is none, this is empty and the item is hidden. */
  model: string;
  isAutomatic: boolean;
  /** End of the snooze in milliseconds since the epoch. 0 if not snoozed. */
  snoozedUntil: number;
  /** State of the engine. Null before the first request. */
  engine: EngineState | null;
  /** Reason why the model cannot be used, if known. */
  refusal: string | null;
  /** True if chat uses the same model. */
  isShared: boolean;
}

export const menuCommand = '_ollamaCopilot.completionMenu';

export class CompletionStatusItem implements vscode.Disposable {
  private item: vscode.StatusBarItem | undefined;
  private shown = '';

  update(status: CompletionStatus, now: number): void {
    if (status.model === '') {
      this.item?.hide();
      this.shown = '';
      return;
    }
    const [icon, state] = describeState(status, now);
    const warnings = listWarnings(status);
    const tooltip = [state, ...listLines(status, warnings)].join('\n');
    // This function runs on each key press.
    const shown = `${icon}\n${tooltip}`;
    if (shown === this.shown) return;
    this.shown = shown;
    const item = (this.item ??= createItem());
    item.text = icon;
    item.tooltip = tooltip;
    item.accessibilityInformation = { label: [`Ollama Copilot: ${state}`, ...warnings].join('. '), role: 'button' };
    item.show();
  }

  dispose(): void {
    this.item?.dispose();
  }
}

function createItem(): vscode.StatusBarItem {
  const item = vscode.window.createStatusBarItem('ollamaCopilot.completions', vscode.StatusBarAlignment.Right, 99);
  item.name = vscode.l10n.t('Ollama Copilot Suggestions');
  item.command = menuCommand;
  return item;
}

function describeState(status: CompletionStatus, now: number): [icon: string, state: string] {
  const { t } = vscode.l10n;
  const { isAutomatic, snoozedUntil, engine, model } = status;
  if (!isAutomatic) return ['$(circle-slash)', t('Inline suggestions are off')];
  if (snoozedUntil > now) {
    return ['$(bell-slash)', t('Suggestions are snoozed until {0}', clockTime(snoozedUntil, now))];
  }
  if (engine?.activity === 'loading') return ['$(loading~spin)', t('Loading {0} into memory', model)];
  if (engine?.activity === 'thinking') return ['$(loading~spin)', t('{0} is writing a suggestion', model)];
  return [listWarnings(status).length > 0 ? '$(warning)' : '$(sparkle)', t('Suggestions from {0}', model)];
}

/** Returns the problems that the user must fix. The most important problem comes first. */
export function listWarnings({ engine, refusal }: CompletionStatus): string[] {
  const { t } = vscode.l10n;
  const nothing = engine?.noSuggestion;
  return [
    ...(refusal === null ? [] : [refusal]),
    ...(nothing && isFailure(nothing) && nothing.detail !== refusal
      ? [t('Last time, no suggestion was shown: {0}', nothingText(nothing))]
      : []),
    ...(engine?.isSwapped
      ? [
          t(
            'The server keeps reloading this model because it does not fit in memory together with the chat model. Use one model for both, or a smaller model for suggestions.',
          ),
        ]
      : []),
  ];
}

function listLines({ engine, isShared }: CompletionStatus, warnings: readonly string[]): string[] {
  const { t } = vscode.l10n;
  const nothing = engine?.noSuggestion;
  return [
    ...(engine?.latency == null ? [] : [t('Time to a suggestion: {0} ms (median of the last 20)', formatNumber(engine.latency))]),
    ...(nothing && !isFailure(nothing) ? [t('Last time, no suggestion was shown: {0}', nothingText(nothing))] : []),
    ...warnings,
    ...(isShared ? [t('Chat uses this model too. After a suggestion, the model may have to process the chat again.')] : []),
    t('Select for more options.'),
  ];
}

function isFailure({ code }: NoSuggestion): boolean {
  return code === 'unfit' || code === 'failed';
}
