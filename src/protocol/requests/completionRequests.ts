import { z } from 'zod';
import { name, none } from './shared';

/** Model in the picker for inline suggestions. */
const completionModelSchema = z.object({
  name: z.string(),
  /** Size on disk, in bytes. */
  size: z.number(),
  /** `cannot`: failed the self-test; `unfit`: no supported prompt format. */
  verdict: z.enum(['can', 'cannot', 'untested', 'unfit']),
  /** Reason of the verdict for the user. */
  words: z.string(),
});

/** Verdict of a self-test that has just ended. */
export const modelTestedSchema = completionModelSchema.omit({ size: true });
export type ModelTested = z.infer<typeof modelTestedSchema>;

/** Statistics of the last 30 days. Shares are from 0 to 1; null if nothing was measured yet. */
const completionFiguresSchema = z.object({
  shown: z.number(),
  accepted: z.number(),
  acceptedChars: z.number(),
  retained30: z.number().nullable(),
  retained300: z.number().nullable(),
  requests: z.number(),
  saved: z.number(),
  /** Average milliseconds until a suggestion. */
  latency: z.number().nullable(),
});
export type CompletionFigures = z.infer<typeof completionFiguresSchema>;

/** Suggested model for inline suggestions. The size is in bytes. */
const suggestedSchema = z.object({ name: z.string(), size: z.number(), isInstalled: z.boolean() });

export const completionRequests = {
  /** Reads all data of the settings page about inline suggestions, except settings. */
  readCompletions: {
    params: none,
    result: z.object({
      models: z.array(completionModelSchema),
      suggestions: z.array(suggestedSchema),
      figures: completionFiguresSchema,
    }),
  },
  /** Tests again whether a model supports fill-in-the-middle. */
  testCompletionModel: { params: z.object({ model: name }), result: completionModelSchema },
  /** Returns a model to offer for inline suggestions if none is selected and the user was not asked yet; null otherwise. */
  completionOffer: { params: none, result: z.object({ offer: suggestedSchema.nullable() }) },
  /** Answers the offer: selects and, if needed, pulls the model, or never offers one again. */
  answerCompletionOffer: { params: z.object({ model: name, isWanted: z.boolean() }), result: none },
} as const;
