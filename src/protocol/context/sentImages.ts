import type { Entry } from '../entries';
import { activeMarker } from './compaction';
import type { ImageRef } from './imageRef';
import { messageLimits, sendingLimits } from './shortening';

/** Returns the images to send, by the `seq` of their entry. Images of compacted or shortened entries are not sent. */
export function sentImages(conversation: readonly Entry[]): ReadonlyMap<number, readonly ImageRef[]> {
  const sent = new Map<number, readonly ImageRef[]>();
  const through = activeMarker(conversation)?.data.throughSeq ?? 0;
  const withImages = conversation.filter((entry) => entry.seq > through && listImages(entry).length > 0);
  if (withImages.length === 0) return sent;
  const limitOf = sendingLimits(conversation);
  const messageLimitOf = messageLimits(conversation);
  for (const entry of withImages) {
    const limit = entry.type === 'user_input' ? messageLimitOf(entry.seq) : limitOf(entry.seq);
    if (limit === Infinity) sent.set(entry.seq, listImages(entry));
  }
  return sent;
}

export function listImages(entry: Pick<Entry, 'type' | 'data'>): readonly ImageRef[] {
  if (entry.type === 'user_input') {
    const { attachments } = entry.data as Extract<Entry, { type: 'user_input' }>['data'];
    return attachments.flatMap(({ image }) => image ?? []);
  }
  if (entry.type === 'tool_result') return (entry.data as Extract<Entry, { type: 'tool_result' }>['data']).images ?? [];
  return [];
}
