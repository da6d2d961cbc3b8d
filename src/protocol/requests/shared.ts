import { z } from 'zod';
import { chatModes } from '../../types/modes';

/** Holds the parts of which schemas of requests are made. */

export const mode = z.enum(chatModes);
export const none = z.object({});
/** Name of bounded length: a longer text names nothing. */
export const name = z.string().max(4096);
export const line = z.number().int().positive();
export const sessionRef = z.object({ sessionId: name });
