import { z } from 'zod';
import { none } from './shared';

const count = z.number().int().nonnegative();
/** UTC date, such as `2026-11-23`. */
const day = z.string();

const statisticsSchema = z.object({
  tokensByDay: z.array(z.object({ day, prompt: count, answer: count })),
  models: z.array(
    z.object({
      model: z.string(),
      answers: count,
      promptTokens: count,
      answerTokens: count,
      /** Averages; null if nothing was measured. */
      firstTokenMs: z.number().nullable(),
      tokensPerSecond: z.number().nullable(),
    }),
  ),
  /** Most used first. `failures` excludes calls that the user skipped or stopped. */
  tools: z.array(
    z.object({
      tool: z.string(),
      calls: count,
      successes: count,
      failures: count,
      /** Average run time, without the wait for the user; null if no call ran. */
      averageMs: z.number().nullable(),
      /** Average wait of the calls that asked the user; null if no call did. */
      averageWaitMs: z.number().nullable(),
    }),
  ),
  toolsByDay: z.array(z.object({ day, calls: count, failures: count })),
  /** Most recently active sessions. */
  sessions: z.array(
    z.object({ sessionId: z.string(), title: z.string(), tools: z.array(z.object({ tool: z.string(), calls: count })) }),
  ),
  /** Changed files by the session's model. */
  edits: z.array(z.object({ model: z.string(), kept: count, undone: count, pending: count })),
  /** `retained` is the share of accepted text that still existed after five minutes. */
  completions: z.object({ shown: count, accepted: count, retained: z.number().nullable() }),
  compactions: count,
});
export type Statistics = z.infer<typeof statisticsSchema>;

/** Requests about usage statistics, which are stored on this machine only. */
export const statisticsRequests = {
  /** Reads the statistics of the last `days` days; null for all. */
  readStatistics: { params: z.object({ days: z.number().int().positive().nullable() }), result: statisticsSchema },
  /** Deletes the statistics after a confirmation. `isDeleted` is false if the user declined. */
  deleteStatistics: { params: none, result: z.object({ isDeleted: z.boolean() }) },
} as const;
