import { z } from 'zod';

/** Maximum number of file patterns per session, and their maximum length in characters. */
export const maxFilePatterns = 50;
export const maxFilePattern = 200;
export const filePatternsSchema = z
  .array(z.object({ pattern: z.string().trim().min(1).max(maxFilePattern), isFree: z.boolean() }))
  .max(maxFilePatterns);

/** Maximum number of hosts per session, and maximum length of a host name in characters. */
export const maxHosts = 50;
export const hostsSchema = z.array(z.string().trim().min(1).max(253)).max(maxHosts);

/** Permissions of a session to act without approval. */
export const grantsSchema = z.object({
  /** True to run read-only commands without approval. See `services/terminal/judge/readOnlyCommands.ts`. */
  commands: z.boolean(),
  /** True to run commands in the sandbox. `hosts` lists the hosts that they can access. */
  sandbox: z.boolean(),
  hosts: z.array(z.string()),
  sensitiveEdits: z.boolean(),
  /** Commands that run without approval. Each must match exactly, in its folder. */
  allowedCommands: z.array(z.object({ command: z.string(), cwd: z.string() })),
  /** File patterns of this session. They are applied after the global patterns, and the last match wins. */
  files: z.array(z.object({ pattern: z.string(), isFree: z.boolean() })),
});
export type Grants = z.infer<typeof grantsSchema>;
