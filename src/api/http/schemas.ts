import { z } from 'zod';
import { leftFileSchema } from '../../protocol/restore';
import { chatModes } from '../../types/modes';
import { loggedEventSchema } from '../events/eventSchemas';
import { dialogStates } from './dialogState';

/** Schemas of the routes. The protocol uses names in snake case. */

const time = z.string().describe('ISO 8601');
const text = z.string().max(1_000_000);

export const dialogSchema = z.object({
  id: z.string(),
  title: z.string(),
  created_at: time,
  updated_at: time,
  active_session: z.string().nullable(),
  last_approved_at: time.nullable(),
  state: z.enum(dialogStates).describe('`interrupted`: the last run ended with its window or server and can be continued'),
});
export const createdDialogSchema = dialogSchema.extend({ initial_checkpoint: z.string().nullable() });
export const dialogsSchema = z.object({ dialogs: z.array(dialogSchema), current_dialog_id: z.string().nullable() });
export const newDialogSchema = z.strictObject({
  title: z.string().max(200).optional(),
  mode: z.enum(chatModes).optional(),
  explorer_model: z
    .string()
    .min(1)
    .max(300)
    .optional()
    .describe('Model for subagents that explore the code. Default: the model in the settings'),
});

export const historyQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(500).default(50),
  before: z.coerce.number().int().nonnegative().optional(),
});
export const exportQuery = z.strictObject({ format: z.enum(['markdown', 'json', 'jsonl', 'html']).default('markdown') });
export const historySchema = z.object({
  events: z.array(loggedEventSchema),
  has_more: z.boolean(),
  cursor: z.number().int().nullable(),
});

export const checkpointsSchema = z.object({
  dialog_id: z.string(),
  checkpoints: z.array(
    z.object({
      commit_id: z.string(),
      message: z.string(),
      status: z
        .enum(['pending', 'kept', 'undone', 'partial'])
        .describe('Review status of the changes that the agent made after the checkpoint'),
    }),
  ),
  initial_checkpoint: z.string().nullable(),
});

export const sessionSchema = z.object({
  active_session: z.string().nullable(),
  session_ref: z.string().nullable(),
  has_unapproved: z.boolean(),
  last_approved_at: time.nullable(),
  changed_files: z.array(
    z.object({
      path: z.string(),
      status: z.enum(['added', 'modified', 'deleted']),
      additions: z.number().int(),
      deletions: z.number().int(),
      diff: z.string().nullable(),
      base_content: z.string().nullable(),
      is_binary: z.boolean(),
      is_too_large: z.boolean(),
    }),
  ),
});

export const approveBody = z.strictObject({ message: text.optional() });
export const approvedSchema = z.object({
  approved_commit: z.string(),
  new_session: z.string(),
  commits_approved: z.number().int(),
});
const keepOwnEdits = z.boolean().optional().describe('Skip files that the user has edited');
const skippedFiles = z.array(
  z.object({
    path: z.string(),
    reason: z.enum([...leftFileSchema.shape.reason.options, 'notFound', 'taken']),
  }),
);
export const resetBody = z.strictObject({ keep_own_edits: keepOwnEdits });
export const resetSchema = z.object({
  reset_to: z.string(),
  new_session: z.string(),
  restored_files: z.array(z.string()).optional(),
  skipped_files: skippedFiles.optional().describe('Absent if every file was reset'),
});
export const restoreBody = z.strictObject({
  checkpoint_id: z.string().max(200),
  targetDir: z.string().max(4096).optional(),
  files: z.array(z.string().max(4096)).max(100_000).optional(),
  dryRun: z.boolean().optional(),
  keep_own_edits: keepOwnEdits,
});
export const restoredSchema = z.object({
  restored_to: z.string(),
  new_checkpoint: z.string().nullable(),
  restored_files: z.array(z.string()),
  skipped_files: skippedFiles,
});

export const messageBody = z.strictObject({
  content: text.min(1),
  mode: z.enum(chatModes).optional(),
  model: z.string().max(300).optional(),
  sandbox: z
    .boolean()
    .optional()
    .describe('Runs commands of the dialog in the sandbox without a question. Needs the right to run'),
});
export const continueBody = messageBody.pick({ model: true, sandbox: true });
export const messageSchema = z.object({
  dialog_id: z.string(),
  status: z.enum(['started', 'queued']),
  behind: z
    .array(z.object({ dialog_id: z.string(), title: z.string(), state: z.enum(['running', 'waiting_for_approval', 'queued']) }))
    .optional()
    .describe('Dialogs that run or wait before this one'),
  answers: z
    .enum(['person', 'clients'])
    .describe('Who answers approval requests: a person at the editor or terminal, or only clients'),
});
export const stoppedSchema = z.object({ dialog_id: z.string(), status: z.literal('stopped') });
export const approvalBody = z.strictObject({
  approve: z.boolean(),
  sandbox: z
    .enum(['allow_host', 'run_outside'])
    .optional()
    .describe(
      'With `approve: true`, required if the request has `sandbox`: allow its host for the dialog and run the command in the sandbox again, or run it outside once',
    ),
  unanswered: z.boolean().optional().describe('With `approve: false`: nobody could answer. The model is told so'),
});
export const questionBody = z.strictObject({ answer: text });
export const doneSchema = z.object({ ok: z.literal(true) });

export const importBody = z.strictObject({
  paths: z.array(z.string().min(1).max(4096)).min(1).max(1_000).describe('Absolute paths of files and folders'),
});
export const importedSchema = z.object({
  sessions: z.array(
    z.object({
      id: z.string(),
      title: z.string(),
      format: z.string(),
      place: z.string(),
      outcome: z.enum(['imported', 'extended', 'unchanged', 'continued', 'differs', 'ours', 'empty', 'failed']),
      added: z.number().int(),
      failure: z.string().optional(),
    }),
  ),
  issues: z.array(
    z.object({
      file: z.string(),
      lines: z.tuple([z.number(), z.number()]).nullable(),
      reason: z.string(),
      detail: z.string().optional(),
    }),
  ),
  issue_count: z.number().int(),
  left_out: z.array(z.object({ file: z.string(), kind: z.string(), count: z.number().int() })),
  unknown_files: z.array(z.string()),
  failure: z.object({ code: z.string(), message: z.string() }).nullable(),
});

/** Query of a route that takes no parameters. */
export const noQuery = z.strictObject({});
