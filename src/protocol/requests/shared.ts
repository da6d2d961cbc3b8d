import { z } from 'zod';
import { chatModes } from '../../types/modes';

/** What the schemas of requests are made of. */

export const mode = z.enum(chatModes);
export const none = z.object({});
/** What is longer names nothing. */
export const name = z.string().max(4096);
export const line = z.number().int().positive();
export const sessionRef = z.object({ sessionId: name });
