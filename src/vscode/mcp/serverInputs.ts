import * as vscode from 'vscode';
import type { InputConfig } from '../../mcp/config/serverConfig';

/** Asks a person for the values that servers need, once, and keeps them where the editor keeps secrets. */
export class ServerInputs {
  /** Inputs as files describe them. One that none describes is asked for as a secret. */
  known: readonly InputConfig[] = [];

  constructor(private readonly secrets: vscode.SecretStorage) {}

  /** Resolves with a value; null if the person gives none. Each server has values of its own. */
  async value(id: string, server: string): Promise<string | null> {
    const key = keyOf(id, server);
    const stored = await this.secrets.get(key);
    if (stored !== undefined) return stored;
    const given = await this.ask(id, server);
    if (given === undefined) return null;
    await this.secrets.store(key, given);
    return given;
  }

  /** Forgets what a server was given, so that it is asked for again. */
  async forget(ids: readonly string[], server: string): Promise<void> {
    for (const id of ids) await this.secrets.delete(keyOf(id, server));
  }

  private async ask(id: string, server: string): Promise<string | undefined> {
    const { description = id, isSecret = true, options = [] } = this.known.find((input) => input.id === id) ?? {};
    const title = vscode.l10n.t('The MCP server {0} needs: {1}', server, description);
    if (options.length > 0) return vscode.window.showQuickPick([...options], { title, ignoreFocusOut: true });
    return vscode.window.showInputBox({ title, password: isSecret, ignoreFocusOut: true });
  }
}

function keyOf(id: string, server: string): string {
  return `mcp.input:${JSON.stringify([server, id])}`;
}
