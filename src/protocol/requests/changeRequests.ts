import { z } from 'zod';
import { restorePlanSchema, restoreStepSchema, restoreTargetSchema, workSessionSchema } from '../restore';
import { changesSchema } from '../changedFiles';
import { line, name, none, sessionRef } from './shared';

const changedFiles = sessionRef.extend({ paths: z.array(name).min(1).max(10_000).nullable() });
/** `turn` is the `seq` of the message. */
const message = sessionRef.extend({ turn: z.number().int().positive() });
/** `id` is the hunk ID in `changes`. */
const hunk = sessionRef.extend({ path: name, id: name });
const problems = z.object({ problems: z.array(z.string()) });

export const changeRequests = {
  /** Lists the pending changes and the reviews that can be undone in a session, and subscribes to its `changes` events. */
  listChanges: { params: sessionRef, result: changesSchema },
  /** `paths` is null for all pending files. */
  keepChanges: { params: changedFiles, result: none },
  /** Reverts files to the state before the agent's changes. `problems` lists failures. */
  undoChanges: { params: changedFiles, result: problems },
  /** Undoes the review of the `review` entry `seq`. */
  takeBackReview: { params: sessionRef.extend({ seq: z.number().int().positive() }), result: problems },
  /** Opens a file at its first change or at a line. Opens a file without hunks in a diff editor. */
  reviewChange: { params: sessionRef.extend({ path: name, line: line.optional() }), result: none },
  /** Opens a file in a diff editor. */
  compareChange: { params: sessionRef.extend({ path: name }), result: none },
  /** Moves to the next or previous change, which can be in another file. A `reviewPosition` event follows. */
  stepChange: { params: sessionRef.extend({ direction: z.enum(['next', 'previous']) }), result: none },
  keepHunk: { params: hunk, result: none },
  undoHunk: { params: hunk, result: problems },
  keepMessage: { params: message, result: none },
  undoMessage: { params: message, result: problems },
  /** Plans a restore of the workspace without changing files. */
  planRestore: {
    params: sessionRef.extend({
      target: restoreTargetSchema,
      /** Absolute paths. All files if undefined. */
      files: z.array(name).min(1).max(10_000).optional(),
    }),
    result: restorePlanSchema,
  },
  /**
   * Plans to restore the files that a command changed to their state before the command. Files that have
   * changed again since then are conflicts. `before` and `after` are the checkpoints around the command.
   */
  planCommandUndo: { params: sessionRef.extend({ before: name, after: name }), result: restorePlanSchema },
  /** Restores files. Files in `overwrite` are restored even if they contain other changes. A log entry contains the results. */
  restoreFiles: {
    params: sessionRef.extend({
      target: restoreTargetSchema,
      files: z.array(name).min(1).max(100_000),
      overwrite: z.array(name).max(100_000),
      /** `seq` of the message to which all files are restored. The conversation from this message on is undone too. */
      fromSeq: z.number().int().positive().optional(),
      /** Call ID of a command. Present if this restore undoes all changes of that command. */
      undoneCall: name.optional(),
    }),
    result: none,
  },
  /** Makes the turns that the restore entry `seq` undid part of the prompt again. */
  keepTurns: { params: sessionRef.extend({ seq: z.number().int().positive() }), result: none },
  /**
   * Compares a file with a stored state in a diff editor, with the older state on the left. `isBase`
   * is true if the stored state is the older one.
   */
  compareFile: {
    params: restoreStepSchema.pick({ file: true, shown: true, exists: true, hash: true }).extend({ isBase: z.boolean() }),
    result: none,
  },
  /** Lists the checkpoints of messages that were not created or no longer exist. Restoring from these messages is impossible. */
  listMissingCheckpoints: { params: sessionRef, result: z.object({ ids: z.array(z.string()) }) },
  compareWithCheckpoint: { params: sessionRef.extend({ checkpointId: name }), result: none },
  /** Opens the changes made during a command, in all files or in one. `path` is written as in the conversation. */
  compareCommand: {
    params: sessionRef.extend({ before: name, after: name, path: name.optional() }),
    result: none,
  },
  /**
   * Restores a Git history that was saved before a command of this session. If `place` is null, the host
   * restored the repository itself. Otherwise, the history is in references below `place`. `previous` is the
   * folder with the data that the restore replaced because Git rejected it. It is null if there is none.
   */
  bringBackHistory: {
    params: sessionRef.extend({ id: z.number().int() }),
    result: z.object({ place: z.string().nullable(), previous: z.string().nullable() }),
  },
  /**
   * Reads one page of the files that differ from the approved state, starting at `from`. Also
   * subscribes to the session's `workSession` events.
   */
  getWorkSession: {
    params: sessionRef.extend({ from: z.number().int().nonnegative().optional() }),
    result: z.object({ workSession: workSessionSchema.nullable() }),
  },
  /** Approves the current state of the workspace. */
  approveSession: { params: sessionRef, result: none },
} as const;
