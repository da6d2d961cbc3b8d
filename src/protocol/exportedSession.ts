import { z } from 'zod';
import { entrySchema } from './entries';

/** Format of sessions exported as JSON: docs/export.md. */
export const exportFormat = 'ollama-copilot-session';
export const exportVersion = 1;

const exportedHead = z.object({
  id: z.string(),
  title: z.string(),
  mode: z.string(),
  model: z.string().nullable(),
  projectPath: z.string().nullable(),
  /** Milliseconds since the epoch. */
  createdAt: z.number().int(),
  updatedAt: z.number().int(),
  /** True if the inline chat created the session. */
  isInline: z.boolean().optional(),
});

const exportOptions = z.object({
  toolOutput: z.boolean(),
  thinking: z.boolean(),
  fileContents: z.boolean(),
  /** True to include text that looks like a key, and the content of files that may contain secrets. */
  secrets: z.boolean(),
});

export const exportedSessionSchema = z.object({
  format: z.literal(exportFormat),
  version: z.literal(exportVersion),
  /** Time in ISO 8601 format. */
  exportedAt: z.string(),
  options: exportOptions,
  session: exportedHead,
  entries: z.array(entrySchema),
  /** Base64 images, which entries reference by hash. Only present with `fileContents`. */
  images: z.array(z.object({ hash: z.string(), data: z.string() })).optional(),
});

export type ExportedHead = z.infer<typeof exportedHead>;
export type ExportOptions = z.infer<typeof exportOptions>;
