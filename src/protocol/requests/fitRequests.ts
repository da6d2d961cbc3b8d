import { z } from 'zod';
import { chatModes } from '../../types/modes';
import { name } from './shared';

/** Measurement in progress, at step `step` of `of`. Both are 0 before the first step. */
export const fitStateSchema = z.object({
  model: z.string(),
  kind: z.enum(['measure', 'search']),
  step: z.number().int(),
  of: z.number().int(),
});
export type FitState = z.infer<typeof fitStateSchema>;

const plannedModelSchema = z.object({
  name: z.string(),
  uses: z.array(z.enum([...chatModes, 'completion', 'embedding'])),
  /** Memory in bytes that the model needs with the context window of the requests. */
  bytes: z.number(),
  /** `atLeast`: the size of the model's cache is unknown. */
  certainty: z.enum(['measured', 'estimated', 'atLeast']),
  isLoaded: z.boolean(),
});
export type PlannedModel = z.infer<typeof plannedModelSchema>;

const memoryPlanSchema = z.object({
  models: z.array(plannedModelSchema),
  /** Memory of all models together, in bytes. */
  total: z.number(),
  /** False if `total` is a lower bound. */
  isComplete: z.boolean(),
  /** Memory for models in bytes, as measured on the GPU or as reported by this computer. Null if unknown. */
  room: z.object({ bytes: z.number(), kind: z.enum(['gpu', 'computer']) }).nullable(),
  /** Models that the server would unload to load the chat model. */
  evicted: z.array(z.string()),
  /** True if the chat model alone does not fit. */
  isTooLarge: z.boolean(),
});
export type MemoryPlan = z.infer<typeof memoryPlanSchema>;

const named = z.object({ name });

export const fitRequests = {
  /**
   * Reloads a model and measures it. Resolves when the measurement ends or is cancelled.
   * Rejects with `fit` if it cannot start.
   */
  measureModel: { params: named, result: z.object({ isDone: z.boolean() }) },
  /**
   * Finds the largest context window with which a model stays on the GPU. Loads the
   * model at most five times. Null if cancelled.
   */
  findWindow: {
    params: named,
    result: z.object({
      found: z.object({ tokens: z.number().nullable(), loads: z.number().int(), hasGpu: z.boolean() }).nullable(),
    }),
  },
  /** Returns the memory that chat, suggestions and search need together. Does not load any model. */
  readMemoryPlan: { params: z.object({}), result: memoryPlanSchema },
  cancelFit: { params: z.object({}), result: z.object({}) },
  /** Sets the context window of one model in tokens. With null, the settings apply again. */
  setModelWindow: { params: named.extend({ tokens: z.number().int().min(4).nullable() }), result: z.object({}) },
} as const;
