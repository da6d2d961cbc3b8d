import * as vscode from 'vscode';
import { confirm } from './confirm';

/** Asks whether a conversation may go to a model that Ollama's own servers run. */
export function askForCloud(model: string): Promise<boolean> {
  const text = vscode.l10n.t('Send this chat to Ollama’s servers?');
  const detail = vscode.l10n.t(
    '{0} runs on Ollama’s servers, not on your machine. Your messages, what is attached to them and what the agent reads go there. You are asked once for this chat.',
    model,
  );
  return confirm({ text, detail, yes: vscode.l10n.t('Send') });
}
