import * as vscode from 'vscode';
import { confirm } from './confirm';

/** Asks for consent to send a chat to a model that runs on Ollama's cloud servers. */
export function askForCloud(model: string): Promise<boolean> {
  const text = vscode.l10n.t('Send this chat to Ollama’s servers?');
  const detail = vscode.l10n.t(
    '{0} runs on Ollama’s servers, not on your computer. Your messages, their attachments and everything that the agent reads are sent there. You are asked once for this chat.',
    model,
  );
  return confirm({ text, detail, yes: vscode.l10n.t('Send') });
}
