import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import { failure } from '../../agent/tools/kernel/toolFailure';
import type { Tool, ToolResult } from '../../agent/tools/kernel/tool';
import type { ApprovalQuestion } from '../../agent/kernel/approvalQuestion';
import type { ToolSource } from '../../agent/tools/kernel/toolRegistry';
import { cleanLine, cleanText } from '../../mcp/tools/cleanText';
import { externalTool, shownArguments } from '../../mcp/tools/externalTool';
import { messageOf } from '../../utils/errors';
import { t } from '../../utils/l10n';
import { cutHead } from '../../types/cutText';

const maxDescription = 600;
const maxResult = 30_000;

type Listed = vscode.LanguageModelToolInformation;

/** Provides the agent with tools of other extensions that the user selected. Each call needs approval. */
export class EditorTools implements ToolSource {
  private made: { key: string; tools: readonly Tool[] } = { key: '', tools: [] };

  constructor(
    private readonly chosen: () => readonly string[],
    /** Names of the running MCP servers. VS Code may offer the same servers. */
    private readonly servers: () => readonly string[],
  ) {}

  ready(): Promise<void> {
    return Promise.resolve();
  }

  tools(): readonly Tool[] {
    const wanted = this.chosen();
    const listed = wanted.length === 0 ? [] : listedTools(this.servers()).filter(({ name }) => wanted.includes(name));
    const key = JSON.stringify(listed);
    if (key !== this.made.key) this.made = { key, tools: listed.map(editorTool) };
    return this.made.tools;
  }
}

/** Lists the tools of other extensions by name. Omits the tools of this extension and of running MCP servers. */
export function listedTools(servers: readonly string[]): Listed[] {
  const all = (vscode.lm as Partial<typeof vscode.lm> | undefined)?.tools ?? [];
  const own = servers.map((name) => `mcp_${name.toLowerCase().replaceAll(/[^a-z0-9_-]/g, '_')}_`);
  return all
    .filter(({ name }) => !name.startsWith('ollamaCopilot_') && !own.some((start) => name.toLowerCase().startsWith(start)))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function editorTool(listed: Listed): Tool {
  const name = `editor__${listed.name.replaceAll(/[^\w-]/g, '_').slice(0, 56)}`;
  return externalTool({
    name,
    description: cleanLine(`${listed.description} [tool of another extension]`, maxDescription),
    schema: (listed.inputSchema ?? {}) as Readonly<Record<string, unknown>>,
    effect: 'command',
    question: (input) => questionAbout(listed, name, input),
    call: (input, { signal }) => invoke(listed.name, input, signal),
  });
}

async function invoke(name: string, input: Record<string, unknown>, signal: AbortSignal): Promise<ToolResult> {
  const source = new vscode.CancellationTokenSource();
  const stop = () => source.cancel();
  signal.addEventListener('abort', stop, { once: true });
  try {
    const { content } = await vscode.lm.invokeTool(name, { input, toolInvocationToken: undefined }, source.token);
    return { status: 'success', content: joinText(content) };
  } catch (error) {
    const text = cutHead(cleanText(messageOf(error)), maxResult);
    return { ...failure({ local: t('The other extension reported an error.'), english: text }), display: text };
  } finally {
    signal.removeEventListener('abort', stop);
    source.dispose();
  }
}

/** Builds the approval question. *Always* applies to this tool with its current description. */
function questionAbout(listed: Listed, name: string, input: Record<string, unknown>): ApprovalQuestion {
  const identity = createHash('sha256')
    .update(JSON.stringify([listed.name, listed.description, listed.inputSchema]))
    .digest('hex');
  return {
    kind: 'tool',
    command: name,
    cwd: `\0tool:${identity}`,
    reasons: [t('tool from another extension: what it does and where it runs is unknown')],
    tool: {
      origin: t('another extension'),
      name: cleanLine(listed.name, 120),
      arguments: shownArguments(input),
      description: cleanLine(listed.description, maxDescription),
    },
    canAllowAlways: true,
  };
}

function joinText(content: readonly unknown[]): string {
  const parts = content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '[a part that is no text]'));
  const text = cleanText(parts.join('\n'));
  return text.length <= maxResult ? text : `${cutHead(text, maxResult)}\n[Left out: ${text.length - maxResult} characters]`;
}
