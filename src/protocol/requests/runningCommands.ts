import { z } from 'zod';

/** A command that runs in the background. */
export const backgroundCommandSchema = z.object({ id: z.string(), command: z.string() });
export type BackgroundCommand = z.infer<typeof backgroundCommandSchema>;

/** Last lines of the output of a running command so far. `note`: what is done before it starts, localized. */
export const commandOutputSchema = z.object({
  callId: z.string(),
  output: z.string(),
  note: z.string().optional(),
  /** Start in milliseconds since the epoch; absent while the command is prepared. */
  startedAt: z.number().optional(),
});
export type CommandOutput = z.infer<typeof commandOutputSchema>;
