import * as vscode from 'vscode';
import type { SignInPerson } from '../../mcp/auth/signIn';
import { confirm } from '../confirm';
import { notifyCancellable } from '../notifyProgress';

export async function askToSignIn(server: string): Promise<boolean> {
  const yes = vscode.l10n.t('Sign in…');
  return (
    (await vscode.window.showInformationMessage(vscode.l10n.t('The MCP server {0} requires you to sign in.', server), yes)) ===
    yes
  );
}

/** Runs a sign-in that the user can cancel. */
export async function whileSigningIn(
  server: string,
  run: (person: SignInPerson, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const person: SignInPerson = {
    confirm: (origin) => {
      const detail = vscode.l10n.t(
        'The server specifies this address for signing in. Your browser opens the address. Ollama Copilot sends requests to it now and at each renewal.',
      );
      const text = vscode.l10n.t('Sign in to {0} at {1}?', server, origin);
      return confirm({ text, detail, yes: vscode.l10n.t('Continue') });
    },
    // Pass a string, because `vscode.Uri` encodes the query differently.
    open: async (url) => vscode.env.openExternal(url as unknown as vscode.Uri),
    external: async (url) => (await vscode.env.asExternalUri(vscode.Uri.parse(url))).toString(true),
  };
  const title = vscode.l10n.t('Signing in to {0}. Continue in your browser.', server);
  await notifyCancellable(title, (_progress, signal) => run(person, signal));
}
