import { z } from 'zod';
import { none } from './shared';

const count = z.number().int().nonnegative();
/** Date in UTC, such as `2026-11-23`. */
const day = z.string();

const statisticsSchema = z.object({
  tokensByDay: z.array(z.object({ day, prompt: count, answer: count })),
  models: z.array(
    z.object({
      model: z.string(),
      answers: count,
      promptTokens: count,
      answerTokens: count,
      /** Averages. Null if nothing was measured. */
      firstTokenMs: z.number().nullable(),
      tokensPerSecond: z.number().nullable(),
    }),
  ),
  /** Tools, most used first. `failures` does not include calls that the user skipped or stopped. */
  tools: z.array(
    z.object({
      tool: z.string(),
      calls: count,
      successes: count,
      failures: count,
      /** Average run time, without the time waiting for the user. Null if no call ran. */
      averageMs: z.number().nullable(),
      /** Average time that calls waited for the user. Null if no call waited. */
      averageWaitMs: z.number().nullable(),
    }),
  ),
  toolsByDay: z.array(z.object({ day, calls: count, failures: count })),
  /** Most recently active sessions. */
  sessions: z.array(
    z.object({ sessionId: z.string(), title: z.string(), tools: z.array(z.object({ tool: z.string(), calls: count })) }),
  ),
  /** Numbers of files that the model changed. */
  edits: z.array(z.object({ model: z.string(), kept: count, undone: count, pending: count })),
  /** `retained` is the share of accepted text that still existed five minutes later. */
  completions: z.object({ shown: count, accepted: count, retained: z.number().nullable() }),
  compactions: count,
});
export type Statistics = z.infer<typeof statisticsSchema>;

/** Requests about usage statistics, which are stored on this machine only. */
export const statisticsRequests = {
  /** Reads the statistics of the last `days` days. Null reads all. */
  readStatistics: { params: z.object({ days: z.number().int().positive().nullable() }), result: statisticsSchema },
  /** Deletes the statistics after a confirmation. `isDeleted` is false if the user declined. */
  deleteStatistics: { params: none, result: z.object({ isDeleted: z.boolean() }) },
} as const;
