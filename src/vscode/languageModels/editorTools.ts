import { createHash } from 'node:crypto';
import * as vscode from 'vscode';
import type { ApprovalQuestion, Tool, ToolContext, ToolResult } from '../../agent/tools/kernel/tool';
import type { ToolSource } from '../../agent/tools/kernel/toolRegistry';
import { cleanLine, cleanText } from '../../mcp/tools/cleanText';
import { fitted, missingArguments, wireParameters } from '../../mcp/tools/inputSchema';
import { t } from '../../utils/l10n';

const maxDescription = 600;
const maxShownArguments = 4000;
const maxResult = 30_000;

type Listed = vscode.LanguageModelToolInformation;

/** Offers the agent the tools of other extensions that a person has chosen by name; each call asks. */
export class EditorTools implements ToolSource {
  private made: { key: string; tools: readonly Tool[] } = { key: '', tools: [] };

  constructor(
    private readonly chosen: () => readonly string[],
    /** Servers that run here: the editor may offer the same ones. */
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

/** Lists the tools that the editor has of other extensions, by name, without our own and those of servers that run here. */
export function listedTools(servers: readonly string[]): Listed[] {
  const all = (vscode.lm as Partial<typeof vscode.lm> | undefined)?.tools ?? [];
  const own = servers.map((name) => `mcp_${name.toLowerCase().replaceAll(/[^a-z0-9_-]/g, '_')}_`);
  return all
    .filter(({ name }) => !name.startsWith('ollamaCopilot_') && !own.some((start) => name.toLowerCase().startsWith(start)))
    .sort((one, other) => (one.name < other.name ? -1 : 1));
}

function editorTool(listed: Listed): Tool {
  const schema = (listed.inputSchema ?? {}) as Readonly<Record<string, unknown>>;
  const name = `editor__${listed.name.replaceAll(/[^\w-]/g, '_').slice(0, 56)}`;
  const run = async (input: Record<string, unknown>, context: ToolContext): Promise<ToolResult> => {
    const question = questionAbout(listed, name, input);
    const { allowedCommands } = await context.grants();
    const isAllowed = allowedCommands.some(({ command, cwd }) => command === question.command && cwd === question.cwd);
    if (isAllowed) await context.noteUnasked('tool');
    else if (!(await context.approve(question))) return declined();
    await context.beginCommand();
    const source = new vscode.CancellationTokenSource();
    const stop = () => source.cancel();
    context.signal.addEventListener('abort', stop, { once: true });
    try {
      const { content } = await vscode.lm.invokeTool(listed.name, { input, toolInvocationToken: undefined }, source.token);
      return { status: 'success', content: textOf(content) };
    } catch (error) {
      return { status: 'error', content: cleanText(error instanceof Error ? error.message : String(error)).slice(0, maxResult) };
    } finally {
      context.signal.removeEventListener('abort', stop);
      source.dispose();
    }
  };
  return {
    ...{ name, otherNames: [], modes: 'work', alsoIn: [], isTimed: true, isBeside: false, isExtra: false, isWaiting: false },
    facts: { effect: 'command', family: 'other' },
    wire: {
      type: 'function',
      function: {
        name,
        description: cleanLine(`${listed.description} [tool of another extension]`, maxDescription),
        parameters: wireParameters(schema),
      },
    },
    label: (input) => `${name} ${cleanLine(JSON.stringify(input), 120)}`,
    prepare: (given) => {
      const input = fitted(given, schema);
      const missing = missingArguments(input, schema);
      if (missing.length > 0) return { isValid: false, problem: `${name} was not run: ${missing.join(', ')} is missing.` };
      return { isValid: true, input, ignored: [], run: (context) => run(input, context) };
    },
  };
}

/** Builds the question; an *always* is about this very tool as its extension describes it now. */
function questionAbout(listed: Listed, name: string, input: Record<string, unknown>): ApprovalQuestion {
  const identity = createHash('sha256')
    .update(JSON.stringify([listed.name, listed.description, listed.inputSchema]))
    .digest('hex');
  return {
    kind: 'tool',
    command: name,
    cwd: `\0tool:${identity}`,
    reasons: [t('a tool of another extension: what it does, and where, is not known')],
    tool: {
      origin: t('another extension'),
      name: cleanLine(listed.name, 120),
      arguments: cleanText(JSON.stringify(input, null, 2)).slice(0, maxShownArguments),
      description: cleanLine(listed.description, maxDescription),
    },
    canAllowAlways: true,
  };
}

function textOf(content: readonly unknown[]): string {
  const parts = content.map((part) => (part instanceof vscode.LanguageModelTextPart ? part.value : '[a part that is no text]'));
  const text = cleanText(parts.join('\n'));
  return text.length <= maxResult ? text : `${text.slice(0, maxResult)}\n[Left out: ${text.length - maxResult} characters]`;
}

function declined(): ToolResult {
  return {
    status: 'denied',
    content: 'The user declined this call. It was not made. Do not try it again in another form; go on without it or ask.',
    summary: t('declined'),
  };
}
