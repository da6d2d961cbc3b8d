import { t } from '../../../utils/l10n';
import type { Run } from '../../kernel/run';
import { failure } from './toolFailure';
import type { ToolResult } from './tool';

/** Results of calls that did not run or did not finish. */

export function stopped({ endReason }: Run): ToolResult {
  const content =
    endReason === 'interrupted' ? 'The window closed before it was finished.' : 'Stopped by the user before it was finished.';
  return { status: 'cancelled', content };
}

export function notRun({ endReason }: Run): ToolResult {
  const content =
    endReason === 'interrupted' ? 'Not run: the window closed.' : 'Not run: the user stopped the run before it began.';
  const summary = endReason === 'interrupted' ? { summary: t('the window closed') } : {};
  return { status: 'cancelled', content, ...summary, details: { notRun: true } };
}

export function unanswered(): ToolResult {
  return {
    status: 'denied',
    content:
      'Refused: this needs approval, and nobody could answer the request. Nothing was done. Do not try it again in another form; go on without it, and say at the end what you could not do.',
    summary: t('not answered'),
  };
}

export function duplicateCall(): ToolResult {
  return {
    status: 'cancelled',
    content: 'Not run again: the same call stands before it in your answer. Its result is the one of that call.',
    summary: t('same call as before'),
    details: { notRun: true },
  };
}

export function maybeWritten(): ToolResult {
  return failure({
    local: t('may have been written'),
    english: 'Stopped while the file was being written, so it may have been changed or not. Read it before you go on.',
  });
}

export function notReadable(problem: string, written = ''): ToolResult {
  const result = failure({ local: t('unreadable tool call'), english: problem });
  return { ...result, ...(written !== '' && { display: `${problem}\n\n${written}` }) };
}

export function unknownTool(name: string, known: readonly string[]): ToolResult {
  const tools = known.length === 0 ? 'You have no tools here.' : `The tools are: ${known.join(', ')}.`;
  return failure({ local: t('unknown tool'), english: `There is no tool named ${JSON.stringify(name)}. ${tools}` });
}
