import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { attachmentSchema, type Attachment, type EntryInput } from '../../../protocol/entries';
import { carefulMode, chatModes, type ChatMode } from '../../../types/modes';
import type { Clock } from '../../../utils/clock';
import { Emitter } from '../../../utils/emitter';
import type { Logger } from '../../../utils/logger';
import { steeredEntry } from '../../../protocol/steering';
import { messageEntries } from '../sessions/checkpointRows';
import type { Connection } from '../sqlite/connection';
import { storableText } from './entryFields';
import { parsedJson } from '../../../utils/json';

export interface QueuedInput {
  text: string;
  mode: ChatMode;
  model: string | null;
  /** Attachments with their content. */
  attachments: Attachment[];
}

export interface QueuedMessage extends QueuedInput {
  id: string;
}

export interface QueueChange {
  sessionId: string;
  /** All that wait now, in order. */
  messages: QueuedMessage[];
}

/** A mode that this build does not know reads as the most careful one. */
const dataSchema = z.object({
  mode: z.enum(chatModes).catch(carefulMode),
  model: z.string().nullable().catch(null),
  attachments: z.array(attachmentSchema).catch([]),
});

/** Messages that wait for the run of their session to end, in order. Every method throws `StorageError`. */
export class QueuedMessages {
  private readonly changes: Emitter<QueueChange>;

  constructor(
    private readonly connection: Connection,
    /** Appends to the log inside the transaction; `announce` is called after the commit. */
    private readonly appendWithin: (sessionId: string, inputs: readonly EntryInput[]) => { announce: () => void },
    private readonly clock: Clock,
    logger: Logger,
  ) {
    this.changes = new Emitter((error) => logger.error('A listener of the queue failed', error));
  }

  /** Fires for changes made through this object, in their order. */
  get onDidChange() {
    return this.changes.event;
  }

  list(sessionId: string): Promise<QueuedMessage[]> {
    return this.connection.read(() => this.all(sessionId));
  }

  /** Adds a message at the end of the queue. */
  add(sessionId: string, { text, mode, model, attachments }: QueuedInput): Promise<QueuedMessage> {
    return this.change(sessionId, () => {
      const row = this.connection
        .statement(
          `INSERT INTO queued_messages (id, session_id, position, text, data, created_at)
           VALUES (:id, :session, coalesce((SELECT max(position) FROM queued_messages WHERE session_id = :session), 0) + 1,
             :text, :data, :now)
           RETURNING id, text, data`,
        )
        .get({
          id: randomUUID(),
          session: sessionId,
          text: storableText(text),
          data: JSON.stringify({ mode, model, attachments }),
          now: this.clock.now(),
        });
      return { result: toMessage(row) };
    });
  }

  /** Removes a message and returns it; undefined if it does not wait any more. */
  remove(sessionId: string, id: string): Promise<QueuedMessage | undefined> {
    return this.change(sessionId, () => ({ result: this.take(sessionId, id) }));
  }

  /**
   * Puts the message into the log and takes it out of the queue, both or neither; undefined where it does not wait any more. `isSteering`:
   * a run goes on with it.
   */
  send(sessionId: string, id: string, isSteering = false): Promise<QueuedMessage | undefined> {
    return this.change(sessionId, () => {
      const message = this.take(sessionId, id);
      if (message === undefined) return { result: undefined };
      const entries = messageEntries(message, this.clock.now());
      const { announce } = this.appendWithin(sessionId, isSteering ? [steeredEntry, ...entries] : entries);
      return { result: message, announce };
    });
  }

  dispose(): void {
    this.changes.dispose();
  }

  private all(sessionId: string): QueuedMessage[] {
    return this.connection
      .statement('SELECT id, text, data FROM queued_messages WHERE session_id = ? ORDER BY position')
      .all(sessionId)
      .map(toMessage);
  }

  private take(sessionId: string, id: string): QueuedMessage | undefined {
    const row = this.connection
      .statement('DELETE FROM queued_messages WHERE session_id = ? AND id = ? RETURNING id, text, data')
      .get(sessionId, id);
    return row === undefined ? undefined : toMessage(row);
  }

  private async change<T>(sessionId: string, work: () => { result: T; announce?: () => void }): Promise<T> {
    const { result } = await this.connection.write(
      () => ({ ...work(), messages: this.all(sessionId) }),
      ({ announce, messages }) => {
        announce?.();
        this.changes.fire({ sessionId, messages });
      },
    );
    return result;
  }
}

function toMessage(row: unknown): QueuedMessage {
  const { id, text, data } = row as { id: string; text: string; data: string };
  return { id, text, ...dataSchema.parse(Object(parsedJson(data))) };
}
