import { z } from 'zod';
import { denialSchema, foreignToolSchema } from '../toolFacts';
import { formFieldSchema } from './formField';

/** Entry data for approvals and questions. */

export const fileOperation = z.enum(['create', 'modify', 'delete', 'rename']);
const severity = z.enum(['low', 'medium', 'high', 'critical']);

/** Data of an `approval`, which is logged twice: when requested and when decided. */
export const approvalShape = {
  approvalId: z.string(),
  callId: z.string(),
  phase: z.enum(['requested', 'decided']),
  kind: z.enum(['command', 'edit', 'read', 'tool']),
  /** Present on `requested`. For an external tool, the tool name that the model called. */
  command: z.string().optional(),
  cwd: z.string().optional(),
  path: z.string().optional(),
  newPath: z.string().optional(),
  /** Folders of other projects whose conversations the agent wants to read. `path` contains them as one line. */
  projects: z.array(z.string()).optional(),
  operation: fileOperation.optional(),
  diff: z.string().optional(),
  severity: severity.optional(),
  /** Parts of the command as written, in order. */
  parts: z.array(z.object({ text: z.string(), severity })).optional(),
  reasons: z.array(z.string()).optional(),
  tool: foreignToolSchema.optional(),
  /** True if the user may allow it for the rest of the session. */
  canAllowAlways: z.boolean().optional(),
  /** Present if the command failed in the sandbox: what was denied, and the host that the user may allow. Approval runs it outside. */
  sandbox: z.object({ denials: z.array(denialSchema), host: z.string().nullable() }).optional(),
  /**
   * Present on `decided`. `cancelled`: the run ended before the user answered. With `decidedBy: session`, the user was not asked
   * because of an earlier permission.
   */
  decision: z.enum(['approved', 'denied', 'cancelled']).optional(),
  isAlways: z.boolean().optional(),
  /** Host that the user allowed for the session instead. */
  allowedHost: z.string().optional(),
  /** True if the level *Run in the sandbox* decided. */
  isSandboxed: z.boolean().optional(),
  decidedBy: z.enum(['person', 'session', 'run']).optional(),
  /** Name of the API client that decided for the user. */
  client: z.string().optional(),
  /** True if the request was denied because no answer was possible, or none came in time. */
  isUnanswered: z.boolean().optional(),
};

/** Data of a `question`, which is logged twice: when asked and when settled. */
export const questionShape = {
  questionId: z.string(),
  callId: z.string(),
  phase: z.enum(['asked', 'settled']),
  /** Suggested answers. Present on `asked`; other answers are allowed. */
  options: z.array(z.string()).optional(),
  /** Form fields. Present on `asked` if the answer is JSON. */
  fields: z.array(formFieldSchema).optional(),
  /** Present on `settled`. `skipped`: the user left the answer to the agent. `cancelled`: the run ended before an answer. */
  outcome: z.enum(['answered', 'skipped', 'cancelled']).optional(),
};
