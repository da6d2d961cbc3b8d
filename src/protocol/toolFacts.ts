import { z } from 'zod';
import { uncoveredSchema } from './restore';

/**
 * Facts of a tool, stored with each call, so that the call is shown correctly after its tool was removed. Imported sessions
 * can contain any facts. Therefore each fact is a short one-line text or an enum value, and none affects permissions.
 */

/** One-line text without characters that change the text direction. */
const plain = /^[^\p{Cc}\p{Zl}\p{Zp}\u202a-\u202e\u2066-\u2069]*$/u;
const title = z.string().min(1).max(120).regex(plain);
const argument = z.string().min(1).max(60);

/** English texts, which the view translates if possible. `{0}` is the subject of the call. */
const titles = z.object({
  done: title,
  running: title,
  /** Title of a call that waits for approval or for the calls before it. */
  planned: title,
  failed: title,
  stopped: title,
  /** `stopped` by default. */
  denied: title.optional(),
  /** Title of a call that has left a command running. `done` by default. */
  started: title.optional(),
});

export const toolFactsSchema = z.object({
  /** Kind of work. Consecutive calls of one family form a group. */
  family: z.enum(['read', 'edit', 'command', 'search', 'other']),
  /** Possible effect of a call: none, files only, any effect of a command, or something outside the workspace. */
  effect: z.enum(['none', 'files', 'command', 'outside']),
  /** Titles of the row. By default, “Used” and the name of the tool. */
  titles: titles.optional(),
  /** Titles for several calls of this tool. `{0}` is the number of calls. By default, the titles of the family. */
  several: z.object({ done: title, running: title }).optional(),
  /**
   * Argument that contains the file or location of the row. If a `place` is missing, the location is the whole
   * workspace. A `removedFile` cannot be opened. `to` is the argument with the new path, which is `{1}` in `titles`.
   */
  about: z.object({ kind: z.enum(['file', 'removedFile', 'place']), argument, to: argument.optional() }).optional(),
  /** Content of the expanded row, `result` by default. `output` shows the full command and its output, scrolled to the end. */
  details: z.enum(['result', 'output']).optional(),
  /** True if the title of a finished call contains the summary. */
  isSummaryInTitle: z.boolean().optional(),
});

export type ToolFacts = z.infer<typeof toolFactsSchema>;
export type ToolFamily = ToolFacts['family'];
export type ToolEffect = ToolFacts['effect'];
export type ToolTitles = z.infer<typeof titles>;

/** Part of a Git history that was not saved: commits that a remote has, Git LFS files, or the content of the index. */
const lostPartSchema = z.enum(['published', 'lfs', 'staged']);

/** Files that changed while a command ran. */
export const commandChangesSchema = z.object({
  callId: z.string(),
  before: z.string(),
  after: z.string(),
  /** First files. `count` is the total number. */
  files: z.array(
    z.object({
      path: z.string(),
      status: z.enum(['created', 'modified', 'deleted']),
      /** Changed lines. Null if lines are not compared. */
      lines: z.object({ additions: z.number().int(), deletions: z.number().int() }).nullable(),
    }),
  ),
  count: z.number().int(),
  /** Git histories and excluded files that were deleted. Missing if there are none. */
  uncovered: uncoveredSchema.optional(),
  /** Git histories that were saved before the command, by folder, and the part that was not saved. Missing if there are none. */
  kept: z.array(z.object({ id: z.number().int(), folder: z.string(), part: lostPartSchema.optional() })).optional(),
  /**
   * Folders whose Git history could not be saved before the command, although the command
   * may delete it. Missing if all were saved.
   */
  unkept: z.array(z.string()).optional(),
});

/** Access that the sandbox denied. `target` is a host or path, or null if unknown. */
export const denialSchema = z.object({ kind: z.enum(['network', 'write']), target: z.string().nullable() });

/** Events of a command that ran in the sandbox. */
export const sandboxReportSchema = z.object({
  denials: z.array(denialSchema),
  /** Git settings and hooks that the command changed and that were restored, relative to the workspace. */
  reverted: z.array(z.string()),
});

/** Call of an external tool in an approval request. All texts come from the author of the tool. */
export const foreignToolSchema = z.object({
  /** Server or program that provides the tool, and the name of the tool there. */
  origin: z.string(),
  name: z.string(),
  /** Arguments as JSON, shortened if long. */
  arguments: z.string(),
  description: z.string(),
});

export type ForeignTool = z.infer<typeof foreignToolSchema>;
export type DeniedAccess = z.infer<typeof denialSchema>;
export type SandboxEvents = z.infer<typeof sandboxReportSchema>;
export type LostPart = z.infer<typeof lostPartSchema>;
export type CommandChanges = z.infer<typeof commandChangesSchema>;

/** Copies the data of a `checkpoint` entry without the saved Git histories, because their IDs are only valid in their own database. */
export function withoutKept<T extends { command?: CommandChanges | undefined }>(data: T): T {
  return data.command?.kept === undefined ? data : { ...data, command: { ...data.command, kept: undefined } };
}
