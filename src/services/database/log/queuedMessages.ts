import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { attachmentSchema, type Attachment, type EntryInput } from '../../../protocol/entries';
import { fallbackMode, chatModes, type ChatMode } from '../../../types/modes';
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
  /** All queued messages, in order. */
  messages: QueuedMessage[];
}

/** Schema of the stored data. An unknown mode is read as the most restrictive mode. */
const dataSchema = z.object({
  mode: z.enum(chatModes).catch(fallbackMode),
  model: z.string().nullable().catch(null),
  attachments: z.array(attachmentSchema).catch([]),
});

/** Stores messages that are queued until the run of their session ends. Every method throws `StorageError`. */
export class QueuedMessages {
  private readonly changes: Emitter<QueueChange>;

  constructor(
    private readonly connection: Connection,
    /** Appends to the log inside the transaction. Call `announce` after the commit. */
    private readonly appendWithin: (sessionId: string, inputs: readonly EntryInput[]) => { announce: () => void },
    private readonly clock: Clock,
    logger: Logger,
  ) {
    this.changes = new Emitter((error) => logger.error('A listener of the queue failed', error));
  }

  /** Fires in order for changes made through this object. */
  get onDidChange() {
    return this.changes.event;
  }

  list(sessionId: string): Promise<QueuedMessage[]> {
    return this.connection.read(() => this.all(sessionId));
  }

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

  /** Removes a message and returns it. Returns undefined if it is no longer queued. */
  remove(sessionId: string, id: string): Promise<QueuedMessage | undefined> {
    return this.change(sessionId, () => ({ result: this.take(sessionId, id) }));
  }

  /**
   * Moves a message from the queue to the log in one transaction. Resolves with undefined if it is no longer queued. `isSteering`
   * is true if an active run continues with the message.
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
