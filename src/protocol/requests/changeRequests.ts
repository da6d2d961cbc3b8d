import { z } from 'zod';
import { restorePlanSchema, restoreStepSchema, restoreTargetSchema, workSessionSchema } from '../restore';
import { changedFileSchema } from '../changedFiles';
import { line, name, none, sessionRef } from './shared';

const changedFiles = sessionRef.extend({ paths: z.array(name).min(1).max(10_000).nullable() });
/** `turn`: `seq` of the message. */
const message = sessionRef.extend({ turn: z.number().int().positive() });
/** `id` as in `changes`. */
const hunk = sessionRef.extend({ path: name, id: name });
const problems = z.object({ problems: z.array(z.string()) });

/** Requests about changed files: kept, undone, brought back, approved. */
export const changeRequests = {
  /** Lists the agent's changes that nobody has answered; from then on `changes` events follow for this session. */
  listChanges: { params: sessionRef, result: z.object({ files: z.array(changedFileSchema) }) },
  /** `paths` null: all that wait. */
  keepChanges: { params: changedFiles, result: none },
  /** Brings files back to what they were before the agent; `problems` says what could not be. */
  undoChanges: { params: changedFiles, result: problems },
  /** Undoes the answer that the `review` entry `seq` was. */
  takeBackReview: { params: sessionRef.extend({ seq: z.number().int().positive() }), result: problems },
  /** Opens a file at its first change, or at a line; one that has no hunks before and now, beside each other. */
  reviewChange: { params: sessionRef.extend({ path: name, line: line.optional() }), result: none },
  /** Opens the file before and now, beside each other. */
  compareChange: { params: sessionRef.extend({ path: name }), result: none },
  /** Opens the change after or before the cursor, in other files too; a `reviewPosition` event follows. */
  stepChange: { params: sessionRef.extend({ direction: z.enum(['next', 'previous']) }), result: none },
  keepHunk: { params: hunk, result: none },
  undoHunk: { params: hunk, result: problems },
  /** Keeps all that came of one message. */
  keepMessage: { params: message, result: none },
  undoMessage: { params: message, result: problems },
  /** Plans a restore of the workspace as it would be now; changes no file. */
  planRestore: {
    params: sessionRef.extend({
      target: restoreTargetSchema,
      /** Absolute paths; without it all files. */
      files: z.array(name).min(1).max(10_000).optional(),
    }),
    result: restorePlanSchema,
  },
  /** Brings these files back, in `overwrite` also those that others have changed; an entry of the log says what became of each. */
  restoreFiles: {
    params: sessionRef.extend({
      target: restoreTargetSchema,
      files: z.array(name).min(1).max(100_000),
      overwrite: z.array(name).max(100_000),
      /** `seq` of the message that all files are brought back to: what was said since is undone with them. */
      fromSeq: z.number().int().positive().optional(),
    }),
    result: none,
  },
  /** Sends the turns that a restore has undone to the model nevertheless; `seq` is that of its entry. */
  keepTurns: { params: sessionRef.extend({ seq: z.number().int().positive() }), result: none },
  /** Opens a file as it is now and a stored state of it beside each other, the older one left: `isBase` says which that is. */
  compareFile: {
    params: restoreStepSchema.pick({ file: true, shown: true, exists: true, hash: true }).extend({ isBase: z.boolean() }),
    result: none,
  },
  /** The checkpoints before messages that were not taken or are there no more: there is nothing to go back to. */
  listMissingCheckpoints: { params: sessionRef, result: z.object({ ids: z.array(z.string()) }) },
  /** Opens everything that differs between a checkpoint and now. */
  compareWithCheckpoint: { params: sessionRef.extend({ checkpointId: name }), result: none },
  /** Opens what changed while a command ran: all of it, or one file, as the conversation names it. */
  compareCommand: {
    params: sessionRef.extend({ before: name, after: name, path: name.optional() }),
    result: none,
  },
  /**
   * Brings a Git history back that was kept before a command of this session: as references below `place`, or, where `place` is null, as a repository that was gone.
   */
  bringBackHistory: {
    params: sessionRef.extend({ id: z.number().int() }),
    result: z.object({ place: z.string().nullable() }),
  },
  /**
   * Reads the differences from the approved state, a page of files from number `from` on; from then on `workSession`
   * events follow for
   * this session.
   */
  getWorkSession: {
    params: sessionRef.extend({ from: z.number().int().nonnegative().optional() }),
    result: z.object({ workSession: workSessionSchema.nullable() }),
  },
  /** Takes the workspace as it is now as approved. */
  approveSession: { params: sessionRef, result: none },
} as const;
