import * as vscode from 'vscode';

/** Asks whether a conversation may go to a model that Ollama's own servers run. */
export async function askForCloud(model: string): Promise<boolean> {
  const send = vscode.l10n.t('Send');
  const question = vscode.l10n.t('Send this chat to Ollama’s servers?');
  const detail = vscode.l10n.t(
    '{0} runs on Ollama’s servers, not on your machine. Your messages, what is attached to them and what the agent reads go there. You are asked once for this chat.',
    model,
  );
  return (await vscode.window.showWarningMessage(question, { modal: true, detail }, send)) === send;
}
