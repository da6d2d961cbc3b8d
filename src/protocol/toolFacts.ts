import { z } from 'zod';
import { uncoveredSchema } from './restore';

/**
 * Facts of a tool that its calls carry in the log, so that a call reads the same wherever the tool came from and when it is gone. They may
 * come from a stranger's session: each is a short text of one line or a word of a list, and none decides what may be done.
 */

/** Texts of one line without anything that turns the direction of other text round. */
const plain = /^[^\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]*$/u;
const title = z.string().min(1).max(120).regex(plain);
const argument = z.string().min(1).max(60);

/** Texts in English, which the view translates where it can; `{0}` stands for what the call is about. */
const titles = z.object({
  done: title,
  running: title,
  /** Stands on a call that waits for a person. */
  planned: title,
  failed: title,
  stopped: title,
  /** Default: as `stopped`. */
  denied: title.optional(),
  /** Stands on a call that left a command running. Default: as `done`. */
  started: title.optional(),
});

export const toolFactsSchema = z.object({
  /** Kind of work: calls of one kind stand together. */
  family: z.enum(['read', 'edit', 'command', 'search', 'other']),
  /** Effect that a call may have: none, on files by themselves, whatever a command does, or on something outside the workspace. */
  effect: z.enum(['none', 'files', 'command', 'outside']),
  /** Words of its row. Default: “Used”, with the tool's name. */
  titles: titles.optional(),
  /** Words over several calls of this tool; `{0}` stands for their number. Default: those of the family. */
  several: z.object({ done: title, running: title }).optional(),
  /**
   * Names the argument that has the file or the place of the row. A `place` that is not given is the whole workspace; a `removedFile` cannot
   * be opened. `to` names the argument with the new path, which `titles` have as `{1}`.
   */
  about: z.object({ kind: z.enum(['file', 'removedFile', 'place']), argument, to: argument.optional() }).optional(),
  /** Content of the opened row. `output`: the command in full, and what it printed, from its end. Default: `result`. */
  details: z.enum(['result', 'output']).optional(),
  /** True if the title of a call that is done says its summary already. */
  isSummaryInTitle: z.boolean().optional(),
});

export type ToolFacts = z.infer<typeof toolFactsSchema>;
export type ToolFamily = ToolFacts['family'];
export type ToolEffect = ToolFacts['effect'];
export type ToolTitles = z.infer<typeof titles>;

/** Files that changed while a command ran. */
export const commandChangesSchema = z.object({
  callId: z.string(),
  /** Ids of the checkpoints. */
  before: z.string(),
  after: z.string(),
  /** The first ones; `count` has them all. */
  files: z.array(
    z.object({
      path: z.string(),
      status: z.enum(['created', 'modified', 'deleted']),
      /** Null where lines are not compared. */
      lines: z.object({ additions: z.number().int(), deletions: z.number().int() }).nullable(),
    }),
  ),
  count: z.number().int(),
  /** Git histories and left-out files that went meanwhile. Absent where none did. */
  uncovered: uncoveredSchema.optional(),
  /** Git histories that were kept before it, by folder. Absent where none was. */
  kept: z.array(z.object({ id: z.number().int(), folder: z.string() })).optional(),
  /** Folders of Git histories that could not be kept before it though it may delete them. Absent where all were. */
  unkept: z.array(z.string()).optional(),
});

/** Call of a tool that others have written, as a person is asked about it. All of it is in the words of whoever wrote the tool. */
export const foreignToolSchema = z.object({
  /** Server or program that the tool is of, and its name there. */
  origin: z.string(),
  name: z.string(),
  /** Arguments as JSON, shortened where they are long. */
  arguments: z.string(),
  description: z.string(),
});

export type ForeignTool = z.infer<typeof foreignToolSchema>;
export type CommandChanges = z.infer<typeof commandChangesSchema>;

/** Copies the data of a `checkpoint` entry without the kept histories: their numbers mean something in its own database only. */
export function withoutKept<T extends { command?: CommandChanges | undefined }>(data: T): T {
  return data.command?.kept === undefined ? data : { ...data, command: { ...data.command, kept: undefined } };
}
