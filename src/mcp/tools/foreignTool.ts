import type { Tool, ToolContext, ToolResult } from '../../agent/tools/kernel/tool';
import type { ApprovalQuestion } from '../../agent/kernel/approvalQuestion';
import { withChanges } from '../../agent/approvals/changedGrant';
import { visibleJson } from '../../protocol/text/visibleText';
import { t } from '../../utils/l10n';
import { cleanLine } from './cleanText';
import { fitted, missingArguments, wireParameters } from './inputSchema';

/** Characters of arguments that are kept with a question, as of a diff. */
const maxShownArguments = 200_000;

/** Tool that somebody else has written. */
export interface ForeignTool {
  /** Name that the model calls. */
  name: string;
  description: string;
  schema: Readonly<Record<string, unknown>>;
  /** `command`: what it does to files is kept before. */
  effect: 'outside' | 'command';
  question: (input: Record<string, unknown>) => ApprovalQuestion;
  /** Files of the workspace that a call runs, absolute and free of symbolic links; none by default. */
  files?: () => Promise<readonly string[]>;
  /** Makes the call, once it may be made. */
  call: (input: Record<string, unknown>, context: ToolContext) => Promise<ToolResult>;
}

/** Makes a tool of the agent of one that somebody else has written: each call is asked about, unless a person has allowed it for the session. */
export function foreignTool({ name, description, schema, effect, question, files, call }: ForeignTool): Tool {
  const run = async (input: Record<string, unknown>, context: ToolContext): Promise<ToolResult> => {
    const asked = question(input);
    const { command = name, cwd = '' } = asked;
    const check = await context.checkGrant({ command, cwd, files: (await files?.()) ?? [] });
    if (check.state === 'holds') await context.noteUnasked('tool');
    else if (!(await context.approve(withChanges(asked, check), check))) return declined();
    if (effect === 'command') await context.beginCommand();
    return call(input, context);
  };
  return {
    ...{ name, otherNames: [], modes: 'work', alsoIn: [], isTimed: true, isBeside: false, isExtra: false, isWaiting: false },
    facts: { effect, family: 'other' },
    wire: { type: 'function', function: { name, description, parameters: wireParameters(schema) } },
    label: (input) => `${name} ${cleanLine(JSON.stringify(input), 120)}`,
    prepare: (given) => {
      const input = fitted(given, schema);
      const missing = missingArguments(input, schema);
      if (missing.length > 0) return { isValid: false, problem: `${name} was not run: ${missing.join(', ')} is missing.` };
      return { isValid: true, input, ignored: [], run: (context) => run(input, context) };
    },
  };
}

/** Returns arguments as a person is shown them before a call: in full, with what is invisible written out. What very long ones leave out is said. */
export function shownArguments(input: Record<string, unknown>): string {
  const text = visibleJson(input, 2);
  const left = text.length - maxShownArguments;
  return left > 0 ? `${text.slice(0, maxShownArguments)}\n${t('{0} more characters are left out', left.toLocaleString())}` : text;
}

function declined(): ToolResult {
  return {
    status: 'denied',
    content: 'The user declined this call. It was not made. Do not try it again in another form; go on without it or ask.',
    summary: t('declined'),
  };
}
