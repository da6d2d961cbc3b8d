import { z } from 'zod';
import { imageTypes, type ImageRef } from './imageRef';

export const imageRefSchema: z.ZodType<ImageRef> = z.object({
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  type: z.enum(imageTypes),
  width: z.number().int().positive(),
  height: z.number().int().positive(),
});
