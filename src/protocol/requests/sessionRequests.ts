import { z } from 'zod';
import { entrySchema } from '../entries';
import { runStateSchema, sessionSummarySchema } from '../webviewEvents';
import { none, sessionRef } from './shared';

const sessionSnapshotSchema = z.object({
  session: sessionSummarySchema,
  /** Entries with a revision greater than the requested one, in `seq` order. */
  entries: z.array(entrySchema),
  revision: z.number().int(),
  /** True if there are earlier entries; see `earlierEntries`. Only set for revision 0. */
  hasEarlier: z.boolean(),
  run: runStateSchema,
});
export type SessionSnapshot = z.infer<typeof sessionSnapshotSchema>;

const page = { offset: z.number().int().nonnegative(), limit: z.number().int().min(1).max(200) };

/** Text with matching ranges: start inclusive, end exclusive, in UTF-16 code units. */
const markedTextSchema = z.object({ text: z.string(), marks: z.array(z.tuple([z.number().int(), z.number().int()])) });
export type MarkedText = z.infer<typeof markedTextSchema>;

const foundSessionSchema = z.object({
  session: sessionSummarySchema,
  title: markedTextSchema,
  /** Best matching line and its entry; null if only the title matched. */
  line: markedTextSchema.extend({ seq: z.number().int() }).nullable(),
});
export type FoundSession = z.infer<typeof foundSessionSchema>;

export const sessionRequests = {
  /** Reads the log after `sinceRevision`, for 0 only the last turns, and subscribes to the session's `log` events. */
  openSession: { params: sessionRef.extend({ sinceRevision: z.number().int().nonnegative() }), result: sessionSnapshotSchema },
  /** Reads whole turns before the entry `beforeSeq`: about `limit` entries, in `seq` order. */
  earlierEntries: {
    params: sessionRef.extend({ beforeSeq: z.number().int().positive(), limit: z.number().int().min(1).max(2000) }),
    result: z.object({ entries: z.array(entrySchema), hasEarlier: z.boolean() }),
  },
  /** Reports that the view displays an empty chat and no session. */
  newChat: { params: none, result: none },
  /** `nextOffset` is the start of the next page; null on the last page. It accounts for sessions that have moved to the top. */
  listSessions: {
    params: z.object(page),
    result: z.object({
      sessions: z.array(sessionSummarySchema),
      hasMore: z.boolean(),
      nextOffset: z.number().int().nonnegative().nullable(),
    }),
  },
  /** Finds sessions by title and messages (docs/storage/search.md), best match first. */
  searchSessions: {
    params: z.object({
      query: z.string().max(1000),
      newestFirst: z.boolean().optional(),
      byMeaning: z.boolean().optional(),
      ...page,
    }),
    result: z.object({
      found: z.array(foundSessionSchema),
      hasMore: z.boolean(),
      /** False while older messages are being indexed. */
      isComplete: z.boolean(),
      /** False if every message was read because there is no full-text index. */
      isIndexed: z.boolean(),
      /** Present if a search by meaning was requested but no model is selected: a pulled model to suggest, or null. */
      missingModel: z.object({ suggestion: z.string().nullable() }).optional(),
      /** Present if a search by meaning was requested but its index is damaged, so that only words were searched. */
      isDamaged: z.literal(true).optional(),
    }),
  },
  renameSession: { params: sessionRef.extend({ title: z.string().trim().min(1).max(200) }), result: none },
  /** Exports the session to a file that the user selects. */
  exportSession: { params: sessionRef, result: none },
  /** Shows the requests of a message in an editor. `turn` is the `seq` of the user input. */
  showRequest: { params: sessionRef.extend({ turn: z.number().int() }), result: none },
  /** Deletes the session and its run after a confirmation. `isDeleted` is false if the user declined. */
  deleteSession: { params: sessionRef, result: z.object({ isDeleted: z.boolean() }) },
} as const;
