import * as vscode from 'vscode';
import type { SignInPerson } from '../../mcp/auth/signIn';
import { confirm } from '../confirm';
import { notifyCancellable } from '../notifyProgress';

/** Asks whether a person wants to sign in to a server now. */
export async function askToSignIn(server: string): Promise<boolean> {
  const yes = vscode.l10n.t('Sign in…');
  return (
    (await vscode.window.showInformationMessage(vscode.l10n.t('The MCP server {0} wants you to sign in.', server), yes)) === yes
  );
}

/** Runs a sign-in to a server with the person in front of the editor, who can cancel it. */
export async function whileSigningIn(
  server: string,
  run: (person: SignInPerson, signal: AbortSignal) => Promise<void>,
): Promise<void> {
  const person: SignInPerson = {
    confirm: (origin) => {
      const detail = vscode.l10n.t(
        'The server names this address for signing in. It is asked now, whenever the sign-in is renewed, and your browser opens it.',
      );
      const text = vscode.l10n.t('Sign in to {0} at {1}?', server, origin);
      return confirm({ text, detail, yes: vscode.l10n.t('Continue') });
    },
    // As a text: the editor's own form of an address writes what is encoded in a query in another way.
    open: async (url) => vscode.env.openExternal(url as unknown as vscode.Uri),
    external: async (url) => (await vscode.env.asExternalUri(vscode.Uri.parse(url))).toString(true),
  };
  const title = vscode.l10n.t('Signing in to {0}: go on in your browser', server);
  await notifyCancellable(title, (_progress, signal) => run(person, signal));
}
