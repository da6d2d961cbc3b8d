import { z } from 'zod';
import { denialSchema, foreignToolSchema } from '../toolFacts';
import { formFieldSchema } from './formField';

/** Entry data for approvals and questions. */

export const fileOperation = z.enum(['create', 'modify', 'delete', 'rename']);
const severity = z.enum(['low', 'medium', 'high', 'critical']);

/** Data of an `approval`. It is logged twice: when requested and when decided. */
export const approvalShape = {
  approvalId: z.string(),
  callId: z.string(),
  phase: z.enum(['requested', 'decided']),
  kind: z.enum(['command', 'edit', 'read', 'tool']),
  /** Name of the tool as the model called it, for an external tool. Only present on `requested`. */
  command: z.string().optional(),
  cwd: z.string().optional(),
  path: z.string().optional(),
  newPath: z.string().optional(),
  /** Folders of other projects whose conversations the agent wants to read. `path` contains the same folders as one line. */
  projects: z.array(z.string()).optional(),
  operation: fileOperation.optional(),
  diff: z.string().optional(),
  severity: severity.optional(),
  /** Parts of the command in their original order and spelling. */
  parts: z.array(z.object({ text: z.string(), severity })).optional(),
  reasons: z.array(z.string()).optional(),
  tool: foreignToolSchema.optional(),
  /** True if the user can allow the command for the rest of the session. */
  canAllowAlways: z.boolean().optional(),
  /**
   * Present if the command failed in the sandbox. Contains what the sandbox denied, and the host that the user can
   * allow. Approval runs the command outside the sandbox.
   */
  sandbox: z.object({ denials: z.array(denialSchema), host: z.string().nullable() }).optional(),
  /**
   * Present on `decided`. `cancelled`: the run ended before the user decided. With
   * `decidedBy: session`, the request was not needed because of an earlier permission.
   */
  decision: z.enum(['approved', 'denied', 'cancelled']).optional(),
  isAlways: z.boolean().optional(),
  /** Host that the user allowed for the session, in place of approving the command. */
  allowedHost: z.string().optional(),
  /** True if the level *Run in the sandbox* made the decision. */
  isSandboxed: z.boolean().optional(),
  decidedBy: z.enum(['person', 'session', 'run']).optional(),
  /** Name of the API client that decided instead of the user. */
  client: z.string().optional(),
  /** True if the request was denied because no reply was possible, or none arrived in time. */
  isUnanswered: z.boolean().optional(),
};

/** Data of a `question`. It is logged twice: when asked and when settled. */
export const questionShape = {
  questionId: z.string(),
  callId: z.string(),
  phase: z.enum(['asked', 'settled']),
  /** Suggested replies. Present on `asked`. The user can also give another reply. */
  options: z.array(z.string()).optional(),
  /** Form fields. Present on `asked` if the reply is JSON. */
  fields: z.array(formFieldSchema).optional(),
  /** Present on `settled`. `skipped`: the user let the agent decide. `cancelled`: the run ended before the user replied. */
  outcome: z.enum(['answered', 'skipped', 'cancelled']).optional(),
};
