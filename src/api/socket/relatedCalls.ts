import type { Entry, EntryOf } from '../../protocol/entries';
import type { ApiServices } from '../apiPorts';
import type { TranscriptCalls } from './transcript';

/** Number of extra entries to read, because other parallel calls and calls without a result may be in between. */
const spare = 64;
/** Number of entries to search beyond a page. Without this limit, a call without a result would cause a read of the whole log. */
const near = 1_000;

/**
 * Reads the results of the calls in a page, and the calls of its results. Calls and their
 * results are close to each other in the log.
 */
export async function relatedCalls(
  queries: Pick<ApiServices['database']['queries'], 'page'>,
  sessionId: string,
  entries: readonly Entry[],
): Promise<TranscriptCalls> {
  const calls = new Map<string, EntryOf<'tool_call'>>();
  const results = new Map<string, EntryOf<'tool_result'>>();
  const note = (found: readonly Entry[]) => {
    for (const entry of found) {
      if (entry.type === 'tool_call') calls.set(entry.data.callId, entry);
      if (entry.type === 'tool_result') results.set(entry.data.callId, entry);
    }
  };
  note(entries);
  const open = [...calls.values()].filter(({ data }) => !results.has(data.callId));
  const lone = [...results.values()].filter(({ data }) => !calls.has(data.callId));
  const page = { sessionId, includeCompacted: true };
  if (open[0] !== undefined) {
    const range = { afterSeq: open[0].seq, beforeSeq: (open.at(-1) ?? open[0]).seq + near };
    note((await queries.page({ ...page, ...range, types: ['tool_result'], limit: open.length + spare })).entries);
  }
  if (lone[0] !== undefined) {
    const range = { afterSeq: Math.max(0, lone[0].seq - near), beforeSeq: (lone.at(-1) ?? lone[0]).seq, isFromEnd: true };
    note((await queries.page({ ...page, ...range, types: ['tool_call'], limit: lone.length + spare })).entries);
  }
  return { calls, results };
}
