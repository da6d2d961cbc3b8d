import { z } from 'zod';
import { foreignToolSchema } from '../toolFacts';
import { formFieldSchema } from './formField';

/** Holds the data of the entries that ask a person: may the agent do this, and which answer is right. */

export const fileOperation = z.enum(['create', 'modify', 'delete', 'rename']);
const severity = z.enum(['low', 'medium', 'high', 'critical']);

/** Data of an `approval`. It is in the log twice: when it is requested and when it is decided. */
export const approvalShape = {
  approvalId: z.string(),
  callId: z.string(),
  phase: z.enum(['requested', 'decided']),
  kind: z.enum(['command', 'edit', 'read', 'tool']),
  /** Present on `requested`. Of a tool from elsewhere it is the name that the model called. */
  command: z.string().optional(),
  cwd: z.string().optional(),
  path: z.string().optional(),
  newPath: z.string().optional(),
  /** Folders of other projects whose conversations are to be read; `path` has them in one line. */
  projects: z.array(z.string()).optional(),
  /** Operation of an edit. */
  operation: fileOperation.optional(),
  diff: z.string().optional(),
  severity: severity.optional(),
  /** The command's parts in order, each as written. */
  parts: z.array(z.object({ text: z.string(), severity })).optional(),
  reasons: z.array(z.string()).optional(),
  tool: foreignToolSchema.optional(),
  /** True if a person may allow it for the rest of the session. */
  canAllowAlways: z.boolean().optional(),
  /**
   * Present on `decided`. `cancelled`: the run ended before a person answered. What was decided by the session was never asked: a
   * person had allowed it before.
   */
  decision: z.enum(['approved', 'denied', 'cancelled']).optional(),
  isAlways: z.boolean().optional(),
  decidedBy: z.enum(['person', 'session', 'run']).optional(),
};

/** Data of a `question`. It is in the log twice: when it is asked and when it is settled. */
export const questionShape = {
  questionId: z.string(),
  callId: z.string(),
  phase: z.enum(['asked', 'settled']),
  /** Present on `asked`: answers to choose from; any other will do too. */
  options: z.array(z.string()).optional(),
  /** Present on `asked` of a form, whose answer is JSON. */
  fields: z.array(formFieldSchema).optional(),
  /** Present on `settled`. `skipped`: the person left it to the agent. `cancelled`: the run ended before. */
  outcome: z.enum(['answered', 'skipped', 'cancelled']).optional(),
};
