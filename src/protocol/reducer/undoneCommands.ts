import type { Entry, EntryOf } from '../entries';
import { RestoreChains, type RestoreChain } from './restoreChains';

/**
 * Returns the calls of commands whose changes a restore has undone. `entries`
 * includes entries that a rewind removed, because those commands changed files too.
 */
export function undoneCommands(entries: readonly Entry[]): ReadonlySet<string> {
  const undone = new Set<string>();
  /** `seq` of each call. */
  const calls = new Map<string, number>();
  const chains = new RestoreChains();
  /** Commands whose changes each restore undoes. */
  const byChain = new Map<RestoreChain, readonly string[]>();

  const addRestore = (entry: EntryOf<'restore'>): void => {
    const { undoneCall, fromSeq } = entry.data;
    const { chain, restored } = chains.add(entry);
    const since = fromSeq === undefined ? [] : [...calls].flatMap(([callId, seq]) => (seq >= fromSeq ? callId : []));
    const callIds = byChain.get(chain) ?? [...since, ...(undoneCall === undefined ? [] : [undoneCall])];
    byChain.set(chain, callIds);
    for (const callId of callIds) {
      if (restored === 'all') undone.add(callId);
      else undone.delete(callId);
    }
  };

  for (const entry of entries) {
    if (entry.type === 'tool_call') calls.set(entry.data.callId, entry.seq);
    // A background command can change more files after its changes were undone.
    else if (entry.type === 'checkpoint' && entry.data.command !== undefined) undone.delete(entry.data.command.callId);
    else if (entry.type === 'restore') addRestore(entry);
  }
  return undone;
}
