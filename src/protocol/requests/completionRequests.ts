import { z } from 'zod';
import { name, none } from './shared';

/** A model in the picker for suggestions. */
const completionModelSchema = z.object({
  name: z.string(),
  /** Bytes on disk. */
  size: z.number(),
  /** `cannot`: it failed the self-test; `unfit`: there is no way to ask it. */
  verdict: z.enum(['can', 'cannot', 'untested', 'unfit']),
  /** Reason of the verdict, for a person. */
  words: z.string(),
});

/** Figures of the last 30 days; shares from 0 to 1, null where nothing was looked at yet. */
const completionFiguresSchema = z.object({
  shown: z.number(),
  accepted: z.number(),
  acceptedChars: z.number(),
  retained30: z.number().nullable(),
  retained300: z.number().nullable(),
  requests: z.number(),
  saved: z.number(),
  /** Milliseconds until a suggestion, on average. */
  latency: z.number().nullable(),
});
export type CompletionFigures = z.infer<typeof completionFiguresSchema>;

/** A model to pull for suggestions; size in bytes. */
const suggestedSchema = z.object({ name: z.string(), size: z.number(), isInstalled: z.boolean() });

export const completionRequests = {
  /** All that the page says of suggestions besides their settings. */
  readCompletions: {
    params: none,
    result: z.object({
      models: z.array(completionModelSchema),
      suggestions: z.array(suggestedSchema),
      figures: completionFiguresSchema,
    }),
  },
  /** Tests anew whether a model can fill in the middle; resolves with the verdict. */
  testCompletionModel: { params: z.object({ model: name }), result: completionModelSchema },
  /** Model to offer for suggestions to who has none and was not asked yet; null where nothing is to be offered. */
  completionOffer: { params: none, result: z.object({ offer: suggestedSchema.nullable() }) },
  /** Answers the offer: chooses the model, and pulls it where it is not there, or never offers one again. */
  answerCompletionOffer: { params: z.object({ model: name, isWanted: z.boolean() }), result: none },
} as const;
