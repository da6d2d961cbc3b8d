import { z } from 'zod';
import { entrySchema } from '../entries';
import { runStateSchema, sessionSummarySchema } from '../webviewEvents';
import { mode, none, sessionRef } from './shared';

const sessionSnapshotSchema = z.object({
  session: sessionSummarySchema,
  /** Entries whose revision is greater than the requested revision, in `seq` order. */
  entries: z.array(entrySchema),
  revision: z.number().int(),
  /** True if there are earlier entries, which `earlierEntries` returns. Only set if the requested revision is 0. */
  hasEarlier: z.boolean(),
  run: runStateSchema,
});
export type SessionSnapshot = z.infer<typeof sessionSnapshotSchema>;

const page = { offset: z.number().int().nonnegative(), limit: z.number().int().min(1).max(200) };

/** Text and its matching ranges. Starts are inclusive and ends exclusive, in UTF-16 code units. */
const markedTextSchema = z.object({ text: z.string(), marks: z.array(z.tuple([z.number().int(), z.number().int()])) });
export type MarkedText = z.infer<typeof markedTextSchema>;

const foundSessionSchema = z.object({
  session: sessionSummarySchema,
  title: markedTextSchema,
  /** Best matching line and its entry. Null if only the title matched. */
  line: markedTextSchema.extend({ seq: z.number().int() }).nullable(),
});
export type FoundSession = z.infer<typeof foundSessionSchema>;

export const sessionRequests = {
  /** Reads log changes after `sinceRevision` and subscribes to the session's `log` events. For 0, reads only the last turns. */
  openSession: { params: sessionRef.extend({ sinceRevision: z.number().int().nonnegative() }), result: sessionSnapshotSchema },
  /** Reads whole turns before the entry `beforeSeq`. Returns about `limit` entries in `seq` order. */
  earlierEntries: {
    params: sessionRef.extend({ beforeSeq: z.number().int().positive(), limit: z.number().int().min(1).max(2000) }),
    result: z.object({ entries: z.array(entrySchema), hasEarlier: z.boolean() }),
  },
  /** Reports that the view shows an empty chat without a session. Returns its mode, which the user selected last. */
  newChat: { params: none, result: z.object({ mode }) },
  /** `nextOffset` is the start of the next page, or null on the last page. It accounts for sessions that have moved to the top. */
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
      /** False if there is no full-text index, so that every message was read. */
      isIndexed: z.boolean(),
      /** Present if there were no results, so that the excluded words were searched as normal text. */
      isAsText: z.literal(true).optional(),
      /**
       * Present if the user searched by meaning but no embedding model is selected. Contains
       * a downloaded model to suggest, or null.
       */
      missingModel: z.object({ suggestion: z.string().nullable() }).optional(),
      /** Present if the user searched by meaning but the index is damaged. Only words were searched. */
      isDamaged: z.literal(true).optional(),
      /** Present if the user searched by meaning but the vectors are not ready or the server failed. Only words were searched. */
      isUnavailable: z.literal(true).optional(),
    }),
  },
  renameSession: { params: sessionRef.extend({ title: z.string().trim().min(1).max(200) }), result: none },
  /** Exports the session to a file that the user selects. */
  exportSession: { params: sessionRef, result: none },
  /** Opens the requests that were sent for a message in an editor. `turn` is the `seq` of the user input. */
  showRequest: { params: sessionRef.extend({ turn: z.number().int() }), result: none },
  /** Deletes the session and stops its run after a confirmation. `isDeleted` is false if the user declined. */
  deleteSession: { params: sessionRef, result: z.object({ isDeleted: z.boolean() }) },
} as const;
