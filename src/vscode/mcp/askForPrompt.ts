import * as vscode from 'vscode';
import type { McpServers } from '../../mcp/mcpServers';
import { cleanLine, cleanText } from '../../mcp/tools/cleanText';
import { cutHead } from '../../types/cutText';

const maxText = 40_000;

/**
 * Resolves with the text of a server's prompt, which the user can review before sending. Resolves with null
 * if the user cancels or omits a required argument.
 */
export async function askForPrompt(mcp: McpServers, server: string, name: string): Promise<string | null> {
  const found = mcp.prompts().find((one) => one.server.name === server && one.prompt.name === name);
  if (found === undefined) return null;
  const values: Record<string, string> = {};
  for (const argument of found.prompt.arguments) {
    const title = `/${found.command}: ${cleanLine(argument.name, 60)}`;
    const prompt = cleanLine(argument.description, 200);
    const value = await vscode.window.showInputBox({ title, prompt, ignoreFocusOut: true });
    if (value === undefined || (value === '' && argument.isRequired)) return null;
    if (value !== '') values[argument.name] = value;
  }
  return cutHead(cleanText(await found.server.prompt(name, values)), maxText);
}
