import type { Tool, ToolContext, ToolResult } from '../../agent/tools/kernel/tool';
import type { ApprovalQuestion } from '../../agent/kernel/approvalQuestion';
import { withChanges } from '../../agent/approvals/changedGrant';
import { visibleJson } from '../../protocol/text/visibleText';
import { t } from '../../utils/l10n';
import { cleanLine } from './cleanText';
import { convertedArguments, missingArguments, wireParameters } from './inputSchema';
import { cutHead } from '../../types/cutText';

/** Maximum length of the arguments that are stored with a question, in characters. */
const maxShownArguments = 200_000;

/** Untrusted external tool. */
export interface ExternalTool {
  name: string;
  description: string;
  schema: Readonly<Record<string, unknown>>;
  /** Effect of a call. With `command`, a checkpoint is created before the call. */
  effect: 'outside' | 'command';
  question: (input: Record<string, unknown>) => ApprovalQuestion;
  /** Workspace files that a call runs, as absolute real paths. By default, none. */
  files?: () => Promise<readonly string[]>;
  /** Runs the call after approval. */
  call: (input: Record<string, unknown>, context: ToolContext) => Promise<ToolResult>;
}

/**
 * Makes an external tool available to the agent. Each call needs approval, unless the
 * user has allowed the tool for the session.
 */
export function externalTool({ name, description, schema, effect, question, files, call }: ExternalTool): Tool {
  const run = async (input: Record<string, unknown>, context: ToolContext): Promise<ToolResult> => {
    const asked = question(input);
    const { command = name, cwd = '' } = asked;
    const check = await context.checkGrant({ command, cwd, files: (await files?.()) ?? [] });
    if (check.state === 'holds') await context.logAutoApproval('tool');
    else if (!(await context.approve(withChanges(asked, check), check))) return declined();
    if (effect === 'command') await context.beginCommand();
    return call(input, context);
  };
  return {
    name,
    otherNames: [],
    modes: 'work',
    alsoIn: [],
    isTimed: true,
    isParallel: false,
    isOptional: false,
    isPolling: false,
    isExternal: true,
    facts: { effect, family: 'other' },
    destroys: () => true,
    wire: { type: 'function', function: { name, description, parameters: wireParameters(schema) } },
    label: (input) => `${name} ${cleanLine(JSON.stringify(input), 120)}`,
    prepare: (given) => {
      const input = convertedArguments(given, schema);
      const missing = missingArguments(input, schema);
      if (missing.length > 0) return { isValid: false, problem: `${name} was not run: ${missing.join(', ')} is missing.` };
      return { isValid: true, input, ignored: [], run: (context) => run(input, context) };
    },
  };
}

/** Formats all arguments for the question and makes invisible characters visible. Adds a note if the text is truncated. */
export function shownArguments(input: Record<string, unknown>): string {
  const text = visibleJson(input, 2);
  const left = text.length - maxShownArguments;
  return left > 0 ? `${cutHead(text, maxShownArguments)}\n${t('{0} more characters omitted', left)}` : text;
}

function declined(): ToolResult {
  return {
    status: 'denied',
    content: 'The user declined this call. It was not made. Do not try it again in another form; go on without it or ask.',
    summary: t('skipped'),
  };
}
