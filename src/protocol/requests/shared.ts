import { z } from 'zod';
import { chatModes } from '../../types/modes';

export const mode = z.enum(chatModes);
export const none = z.object({});
export const name = z.string().max(4096);
export const line = z.number().int().positive();
export const sessionRef = z.object({ sessionId: name });
