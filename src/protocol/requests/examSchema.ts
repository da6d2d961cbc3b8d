import { z } from 'zod';
import { examFaultNames, examTaskNames } from '../../types/exam';

const count = z.number().int();

/** See `ModelExam`. */
export const examSchema = z.object({
  version: count,
  tasks: z.array(
    z.object({
      task: z.enum(examTaskNames),
      isPassed: z.boolean(),
      hasGoodCalls: z.boolean(),
      hasRightFiles: z.boolean(),
      hasLoop: z.boolean(),
      faults: z.array(z.object({ fault: z.enum(examFaultNames), evidence: z.string() })),
      calls: z.object({ native: count, printed: count, repaired: count }),
      form: z.enum(['native', 'printed']),
      promptTokens: count,
      answerTokens: count,
      answerMs: count,
    }),
  ),
  window: count,
  finishedAt: z.number().nullable(),
});

/** Running exam, or the last one in this window. */
export const examProgressSchema = z.object({
  model: z.string(),
  state: z.enum(['running', 'done', 'cancelled', 'failed']),
  /** Number of completed tasks. */
  done: count,
  of: count,
  /** Reason for a failure, as shown to the user. The next start resumes after the last completed task. */
  message: z.string().optional(),
});
export type ExamProgress = z.infer<typeof examProgressSchema>;
