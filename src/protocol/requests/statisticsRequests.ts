import { z } from 'zod';
import { none } from './shared';

const count = z.number().int().nonnegative();
/** A date in UTC, as `2026-11-23`. */
const day = z.string();

const statisticsSchema = z.object({
  tokensByDay: z.array(z.object({ day, prompt: count, answer: count })),
  models: z.array(
    z.object({
      ...{ model: z.string(), answers: count, promptTokens: count, answerTokens: count },
      /** Averages; null where nothing was measured. */
      firstTokenMs: z.number().nullable(),
      tokensPerSecond: z.number().nullable(),
    }),
  ),
  /** The most used first. `failures` leaves out what a person skipped or stopped. */
  tools: z.array(
    z.object({ tool: z.string(), calls: count, successes: count, failures: count, averageMs: z.number().nullable() }),
  ),
  toolsByDay: z.array(z.object({ day, calls: count, failures: count })),
  /** The sessions that were active last. */
  sessions: z.array(
    z.object({ sessionId: z.string(), title: z.string(), tools: z.array(z.object({ tool: z.string(), calls: count })) }),
  ),
  /** Changed files by the model of their session. */
  edits: z.array(z.object({ model: z.string(), kept: count, undone: count, pending: count })),
  /** `retained`: the part of what was accepted that still stood after five minutes. */
  completions: z.object({ shown: count, accepted: count, retained: z.number().nullable() }),
  compactions: count,
});
export type Statistics = z.infer<typeof statisticsSchema>;

/** Requests about figures of what models and tools did, kept on this machine. */
export const statisticsRequests = {
  /** Figures of the last so many days; null for all of them. */
  readStatistics: { params: z.object({ days: z.number().int().positive().nullable() }), result: statisticsSchema },
  /** Deletes them after a person has said yes to it; false where they did not. */
  deleteStatistics: { params: none, result: z.object({ isDeleted: z.boolean() }) },
} as const;
