import { z } from 'zod';

/** Command that runs in the background, or that was stopped there. */
export const backgroundCommandSchema = z.object({ id: z.string(), command: z.string(), isStopped: z.literal(true).optional() });
export type BackgroundCommand = z.infer<typeof backgroundCommandSchema>;

/** Last lines of the output of a running command. `note` is a localized text about the preparation of the command. */
export const commandOutputSchema = z.object({
  callId: z.string(),
  output: z.string(),
  note: z.string().optional(),
  /** Start time in milliseconds since the epoch. Missing while the command is being prepared. */
  startedAt: z.number().optional(),
});
export type CommandOutput = z.infer<typeof commandOutputSchema>;
