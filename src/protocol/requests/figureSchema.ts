import { z } from 'zod';
import type { ModelFigures } from '../../types/modelFigures';

const speedSchema = z.object({ promptTokens: z.number(), promptRate: z.number().nullable(), answerRate: z.number().nullable() });

export const modelFiguresSchema: z.ZodType<ModelFigures> = z.object({
  loadMs: z.number().nullable(),
  short: speedSchema.nullable(),
  long: speedSchema.nullable(),
  memory: z.object({ size: z.number(), vram: z.number(), window: z.number() }).nullable(),
  cache: z.object({ bytesPerToken: z.number(), isUpperBound: z.boolean() }).nullable(),
  largest: z.object({ tokens: z.number().nullable() }).nullable(),
  ownWindow: z.number().nullable(),
});
