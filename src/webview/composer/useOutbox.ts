import { z } from 'zod';
import { attachmentRefSchema } from '../../protocol/entries';
import { type StateStore, keep, asRecord } from '../hostConnection';

const outgoingSchema = z.object({
  /** Null for the first message of a new session. */
  sessionId: z.string().nullable(),
  text: z.string(),
  attachments: z.array(attachmentRefSchema).readonly(),
  /** Time when the user wrote the message, in milliseconds since 1970. */
  since: z.number(),
});

/** Sent message that the extension has not confirmed yet. */
export type Outgoing = z.infer<typeof outgoingSchema>;

/** Stores unconfirmed messages, so that the view finds them after a reload. */
export function useOutbox(store: StateStore) {
  let kept = parse(asRecord(store.read())['outgoing']);
  let left: readonly Outgoing[] = kept;

  function write(messages: readonly Outgoing[]): void {
    kept = messages;
    keep(store, { outgoing: kept });
  }

  /**
   * Returns unconfirmed messages of an earlier view, newest first.
   * Returns each message only once, but stores it until it is dropped.
   */
  function takeLeft(): readonly Outgoing[] {
    const taken = left.toReversed();
    left = [];
    return taken;
  }

  return {
    add: (message: Outgoing) => write([...kept, message]),
    drop: (message: Outgoing) => write(kept.filter((one) => one !== message)),
    takeLeft,
  };
}

function parse(list: unknown): readonly Outgoing[] {
  if (!Array.isArray(list)) return [];
  return list.flatMap((one) => {
    const message = outgoingSchema.safeParse(one);
    return message.success ? [message.data] : [];
  });
}
