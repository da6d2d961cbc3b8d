import { z } from 'zod';
import { entrySchema } from '../entries';
import { runStateSchema, sessionSummarySchema } from '../webviewEvents';
import { none, sessionRef } from './shared';

const sessionSnapshotSchema = z.object({
  session: sessionSummarySchema,
  /** Entries whose revision is greater than the one asked from, in order of `seq`. */
  entries: z.array(entrySchema),
  /** The session's revision that these entries bring the view to. */
  revision: z.number().int(),
  /** True, when read from revision 0, if there are entries before these; see `earlierEntries`. */
  hasEarlier: z.boolean(),
  run: runStateSchema,
});
export type SessionSnapshot = z.infer<typeof sessionSnapshotSchema>;

const page = { offset: z.number().int().nonnegative(), limit: z.number().int().min(1).max(200) };

/** A text and its parts that matched: from the first UTF-16 code unit up to but without the second. */
const markedTextSchema = z.object({ text: z.string(), marks: z.array(z.tuple([z.number().int(), z.number().int()])) });
export type MarkedText = z.infer<typeof markedTextSchema>;

const foundSessionSchema = z.object({
  session: sessionSummarySchema,
  title: markedTextSchema,
  /** The line that matched best and the entry it is from; null where only the title matched. */
  line: markedTextSchema.extend({ seq: z.number().int() }).nullable(),
});
export type FoundSession = z.infer<typeof foundSessionSchema>;

/** Requests about sessions: their list, and what is in them. */
export const sessionRequests = {
  /** The log after `sinceRevision`, from 0 its last turns; from here on `log` events follow for this session. */
  openSession: { params: sessionRef.extend({ sinceRevision: z.number().int().nonnegative() }), result: sessionSnapshotSchema },
  /** Whole turns before the entry `beforeSeq`: about `limit` entries, in order of `seq`. */
  earlierEntries: {
    params: sessionRef.extend({ beforeSeq: z.number().int().positive(), limit: z.number().int().min(1).max(2000) }),
    result: z.object({ entries: z.array(entrySchema), hasEarlier: z.boolean() }),
  },
  /** The view shows an empty chat: no session is in front any more. */
  newChat: { params: none, result: none },
  /** `nextOffset`: where the next page begins, null where this one is the last. Sessions that come to the top meanwhile move it. */
  listSessions: {
    params: z.object(page),
    result: z.object({
      sessions: z.array(sessionSummarySchema),
      hasMore: z.boolean(),
      nextOffset: z.number().int().nonnegative().nullable(),
    }),
  },
  /** Sessions whose title or messages match (docs/storage-format.md, *Search*), the best match first. */
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
      /** False while older messages are still being indexed. */
      isComplete: z.boolean(),
      /** False where there is no full-text search and every message was read. */
      isIndexed: z.boolean(),
      /** Model that could be chosen, there only if meaning was asked for and none is; null if none is pulled. */
      missingModel: z.object({ suggestion: z.string().nullable() }).optional(),
    }),
  },
  renameSession: { params: sessionRef.extend({ title: z.string().trim().min(1).max(200) }), result: none },
  /** Writes the session into a file that the host asks for. */
  exportSession: { params: sessionRef, result: none },
  /** Deletes the session, with its run, after a person has said yes to it; false where they did not. */
  deleteSession: { params: sessionRef, result: z.object({ isDeleted: z.boolean() }) },
} as const;
