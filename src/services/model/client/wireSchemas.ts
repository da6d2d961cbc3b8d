import { z } from 'zod';

/** Required fields. All other fields are preserved. */
const namedSchema = z.looseObject({ name: z.string(), digest: z.string(), size: z.number() });

export const modelListSchema = z.looseObject({ models: z.array(namedSchema).nullish() });
export const showSchema = z.looseObject({
  model_info: z.record(z.string(), z.unknown()).nullish(),
  capabilities: z.array(z.string()).nullish(),
  parameters: z.string().nullish(),
});
export const versionSchema = z.looseObject({ version: z.string() });
export const embedSchema = z.looseObject({
  embeddings: z.array(z.custom<number[]>((value) => Array.isArray(value) && value.every((item) => typeof item === 'number'))),
});
