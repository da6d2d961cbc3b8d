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

/** Exam that runs, or the last one of this window. */
export const examProgressSchema = z.object({
  model: z.string(),
  state: z.enum(['running', 'done', 'cancelled', 'failed']),
  /** Number of complete tasks. */
  done: count,
  of: count,
  /** Reason of a failure, for the user. The next start continues after the last complete task. */
  message: z.string().optional(),
});
export type ExamProgress = z.infer<typeof examProgressSchema>;
