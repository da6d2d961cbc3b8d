import type { EntryOf } from '../../protocol/entries';
import type { Evidence } from './examTask';

/** Returns the results of the tools in `names`, or of all tools if `names` is empty. */
export function findResults({ entries }: Pick<Evidence, 'entries'>, ...names: string[]): EntryOf<'tool_result'>[] {
  return entries.filter(
    (entry): entry is EntryOf<'tool_result'> =>
      entry.type === 'tool_result' && (names.length === 0 || names.includes(entry.data.name)),
  );
}

/** Returns all logged calls, including those that a repair replaced. */
export function loggedCalls({ entries }: Pick<Evidence, 'entries'>): EntryOf<'tool_call'>[] {
  return entries.filter((entry): entry is EntryOf<'tool_call'> => entry.type === 'tool_call');
}

/** Returns all logged calls as text. */
export function callTexts(evidence: Pick<Evidence, 'entries'>): string[] {
  return loggedCalls(evidence).map(({ data }) => callText(data));
}

/** Returns the call of a result, or undefined if the call is not in the log. */
export function findCall(
  evidence: Pick<Evidence, 'entries'>,
  { data }: EntryOf<'tool_result'>,
): EntryOf<'tool_call'>['data'] | undefined {
  return loggedCalls(evidence).find((call) => call.data.callId === data.callId)?.data;
}

/** Returns the last text of the model, or an empty text if there is none. */
export function finalText({ entries }: Pick<Evidence, 'entries'>): string {
  return entries.findLast((entry) => entry.type === 'assistant_output' && entry.data.isThinking !== true)?.content.trim() ?? '';
}

/** Formats a call for the evidence of a fault. */
export function callText({ name, input }: { name: string; input: Record<string, unknown> }): string {
  return `${name} ${JSON.stringify(input)}`;
}
