import { z } from 'zod';
import { name, none } from './shared';

/** Model in the picker for inline suggestions. */
const completionModelSchema = z.object({
  name: z.string(),
  /** Size on disk, in bytes. */
  size: z.number(),
  /** `cannot`: the model failed the self-test. `unfit`: it has no supported prompt format. */
  verdict: z.enum(['can', 'cannot', 'untested', 'unfit']),
  /** Reason for the verdict, as shown to the user. */
  words: z.string(),
});

/** Result of a self-test that has just ended. */
export const modelTestedSchema = completionModelSchema.omit({ size: true });
export type ModelTested = z.infer<typeof modelTestedSchema>;

/** Statistics of the last 30 days. Shares are from 0 to 1. Null if nothing was measured yet. */
const completionFiguresSchema = z.object({
  shown: z.number(),
  accepted: z.number(),
  acceptedChars: z.number(),
  retained30: z.number().nullable(),
  retained300: z.number().nullable(),
  requests: z.number(),
  saved: z.number(),
  /** Average time until a suggestion, in milliseconds. */
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
  /**
   * Returns a model to offer for inline suggestions. Null if a model is
   * already selected or the user has already decided about an offer.
   */
  completionOffer: { params: none, result: z.object({ offer: suggestedSchema.nullable() }) },
  /** Handles the user's decision about the offer. Selects the model and pulls it if necessary, or never offers a model again. */
  answerCompletionOffer: { params: z.object({ model: name, isWanted: z.boolean() }), result: none },
} as const;
