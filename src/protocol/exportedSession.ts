import { z } from 'zod';
import { entrySchema } from './entries';

/** Exported sessions as JSON: docs/export.md. */
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
});

/** Parts that a person chose to have in an export. */
const exportOptions = z.object({
  toolOutput: z.boolean(),
  thinking: z.boolean(),
  fileContents: z.boolean(),
  /** Also what looks like a key, and contents of files that may hold secrets. */
  secrets: z.boolean(),
});

export const exportedSessionSchema = z.object({
  format: z.literal(exportFormat),
  version: z.literal(exportVersion),
  /** In ISO 8601. */
  exportedAt: z.string(),
  options: exportOptions,
  session: exportedHead,
  entries: z.array(entrySchema),
  /** Images that entries name by their hash, in base64. Only with `fileContents`. */
  images: z.array(z.object({ hash: z.string(), data: z.string() })).optional(),
});

export type ExportedHead = z.infer<typeof exportedHead>;
export type ExportOptions = z.infer<typeof exportOptions>;
