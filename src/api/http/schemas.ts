import { z } from 'zod';
import { chatModes } from '../../types/modes';

/** Declares what the routes take and give; names are those of the protocol, in snake case. */

const time = z.string().describe('ISO 8601');
const text = z.string().max(1_000_000);

export const dialogSchema = z.object({
  id: z.string(),
  title: z.string(),
  created_at: time,
  updated_at: time,
  active_session: z.string().nullable(),
  last_approved_at: time.nullable(),
});
export const dialogsSchema = z.object({ dialogs: z.array(dialogSchema), current_dialog_id: z.string().nullable() });
export const newDialogSchema = z.object({
  title: z.string().max(200).optional(),
  mode: z.enum(chatModes).optional(),
  explorer_model: z.string().min(1).max(300).optional().describe('Model of its explorations; default: that of the settings'),
});

export const historyQuery = z.object({
  limit: z.coerce.number().int().min(1).max(500).default(50),
  before: z.coerce.number().int().nonnegative().optional(),
});
export const exportQuery = z.object({ format: z.enum(['markdown', 'json', 'jsonl', 'html']).default('markdown') });
export const eventSchema = z.looseObject({ type: z.string(), idx: z.number().int() });
export const historySchema = z.object({
  events: z.array(eventSchema),
  has_more: z.boolean(),
  cursor: z.number().int().nullable(),
});

export const checkpointsSchema = z.object({
  dialog_id: z.string(),
  checkpoints: z.array(
    z.object({
      commit_id: z.string(),
      message: z.string(),
      status: z.enum(['pending', 'kept', 'undone', 'partial']).describe('Review of the changes that the agent made after it'),
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

export const approveBody = z.object({ message: text.optional() });
export const approvedSchema = z.object({
  approved_commit: z.string(),
  new_session: z.string(),
  commits_approved: z.number().int(),
});
export const resetSchema = z.object({ reset_to: z.string(), new_session: z.string() });
export const restoreBody = z.object({
  checkpoint_id: z.string().max(200),
  targetDir: z.string().max(4096).optional(),
  files: z.array(z.string().max(4096)).max(100_000).optional(),
  dryRun: z.boolean().optional(),
});
export const restoredSchema = z.object({
  restored_to: z.string(),
  new_checkpoint: z.string().nullable(),
  restored_files: z.array(z.string()),
  skipped_files: z.array(z.string()),
});

export const messageBody = z.object({
  content: text.min(1),
  mode: z.enum(chatModes).optional(),
  model: z.string().max(300).optional(),
});
export const messageSchema = z.object({ dialog_id: z.string(), status: z.enum(['started', 'queued']) });
export const stoppedSchema = z.object({ dialog_id: z.string(), status: z.literal('stopped') });
export const approvalBody = z.object({ approve: z.boolean() });
export const questionBody = z.object({ answer: text });
export const doneSchema = z.object({ ok: z.literal(true) });
