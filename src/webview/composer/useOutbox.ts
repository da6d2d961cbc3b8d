import { z } from 'zod';
import { attachmentRefSchema } from '../../protocol/entries';
import { type StateStore, keep, recordOf } from '../hostConnection';

const outgoingSchema = z.object({
  /** Null: the first of a new session. */
  sessionId: z.string().nullable(),
  text: z.string(),
  attachments: z.array(attachmentRefSchema).readonly(),
  /** Time at which it was written, in milliseconds since 1970. */
  since: z.number(),
});

/** A message that has left the composer and of which the extension has not said yet that it has it. */
export type Outgoing = z.infer<typeof outgoingSchema>;

/** Messages on their way: where the view goes before it hears of one, the next view finds it here. */
export function useOutbox(store: StateStore) {
  let kept = parse(recordOf(store.read())['outgoing']);
  let left: readonly Outgoing[] = kept;

  function write(messages: readonly Outgoing[]): void {
    kept = messages;
    keep(store, { outgoing: kept });
  }

  /** Returns the messages of a view that is gone, the newest first. Each is handed out once, and kept until it is dropped. */
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
