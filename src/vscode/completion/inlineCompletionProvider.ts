import * as vscode from 'vscode';
import type { CompletionEngine } from '../../completion/completionEngine';
import type { NoSuggestion, Suggestion } from '../../completion/completionTypes';
import type { CompletionGate } from '../../completion/gate/completionGate';
import type { ShownSuggestion } from './completionWatch';
import { completionDocument, adoptLineEnds } from './completionDocument';

/** Command that VS Code runs when the user accepts a whole suggestion. */
export const acceptedCommand = '_ollamaCopilot.completionAccepted';

export interface ProviderPorts {
  engine: Pick<CompletionEngine, 'complete' | 'shown' | 'setNoSuggestionReason'>;
  gate: Pick<CompletionGate, 'exclusionReason'>;
  onShown: (suggestion: ShownSuggestion) => void;
  /** Returns the reason not to suggest here, regardless of the content of the file. Null if there is none. */
  refusal: (document: vscode.TextDocument, position: vscode.Position, isAsked: boolean) => NoSuggestion | null;
}

export class InlineCompletionProvider implements vscode.InlineCompletionItemProvider {
  constructor(private readonly ports: ProviderPorts) {}

  async provideInlineCompletionItems(
    document: vscode.TextDocument,
    position: vscode.Position,
    context: vscode.InlineCompletionContext,
    token: vscode.CancellationToken,
  ): Promise<vscode.InlineCompletionItem[] | undefined> {
    const isAsked = context.triggerKind === vscode.InlineCompletionTriggerKind.Invoke;
    const { engine } = this.ports;
    // Tab accepts the list item while the list is open.
    const isListOpen = context.selectedCompletionInfo !== undefined && !isAsked;
    const refusal = isListOpen ? ({ code: 'list' } as const) : await this.refusalAt(document, position, isAsked);
    if (refusal !== null) {
      engine.setNoSuggestionReason(refusal);
      return undefined;
    }
    if (token.isCancellationRequested) return undefined;
    const { version } = document;
    const around = completionDocument(document, position, context.selectedCompletionInfo);
    const suggestion = await engine.complete(around, { isAsked }, toSignal(token));
    if (suggestion === undefined || token.isCancellationRequested || document.version !== version) return undefined;
    engine.shown(around, suggestion);
    const { id, model } = suggestion;
    const text = adoptLineEnds(document, suggestion.text);
    this.ports.onShown({ id, model, uri: document.uri.toString(), version, offset: document.offsetAt(position), text });
    return [toItem(suggestion, document, position, context.selectedCompletionInfo)];
  }

  /** Returns the reason not to suggest at a cursor. Null if there is none. */
  async refusalAt(document: vscode.TextDocument, position: vscode.Position, isAsked: boolean): Promise<NoSuggestion | null> {
    return this.ports.refusal(document, position, isAsked) ?? (await this.closed(document));
  }

  private async closed(document: vscode.TextDocument): Promise<NoSuggestion | null> {
    if (document.isUntitled) return vscode.workspace.isTrusted ? null : { code: 'closed', detail: 'untrusted' };
    const because = await this.ports.gate.exclusionReason(document.uri.fsPath);
    return because === null ? null : { code: 'closed', detail: because };
  }
}

function toItem(
  { id, text, replaces }: Suggestion,
  document: vscode.TextDocument,
  position: vscode.Position,
  chosen: vscode.SelectedCompletionInfo | undefined,
): vscode.InlineCompletionItem {
  const end = chosen === undefined ? position : chosen.range.end;
  const range = new vscode.Range(chosen?.range.start ?? position, end.translate(0, replaces));
  const item = new vscode.InlineCompletionItem(adoptLineEnds(document, (chosen?.text ?? '') + text), range);
  item.command = { command: acceptedCommand, title: '', arguments: [id] };
  return item;
}

function toSignal(token: vscode.CancellationToken): AbortSignal {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  else token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}
