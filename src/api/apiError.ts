import { z } from 'zod';
import { StorageError } from '../services/database/sqlite/storageError';
import { AppError, messageOf } from '../utils/errors';

const statuses = {
  INVALID: 400,
  UNAUTHORIZED: 401,
  FORBIDDEN: 403,
  NOT_ALLOWED: 403,
  NOT_FOUND: 404,
  METHOD_NOT_ALLOWED: 405,
  CONFLICT: 409,
  TOO_LARGE: 413,
  TOO_MANY: 429,
  DATABASE_ERROR: 500,
  INTERNAL: 500,
} as const;
export type ApiErrorCode = keyof typeof statuses;

/** Error in the format that clients receive. */
export class ApiError extends AppError {
  constructor(
    readonly code: ApiErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, message, options);
  }

  get status(): number {
    return statuses[this.code];
  }

  toJSON() {
    return { code: this.code, message: this.message };
  }
}

export const errorSchema = z.object({
  error: z.object({ code: z.enum(Object.keys(statuses) as [ApiErrorCode, ...ApiErrorCode[]]), message: z.string() }),
});

const missing = new Set(['notFound', 'sessionMissing', 'sessionNotFound', 'messageGone', 'approvalGone', 'missing']);
const invalid = new Set(['sandboxChoice']);
const unstored = new Set(['locked', 'full', 'readonly', 'io', 'corrupt', 'closed', 'newer', 'foreign', 'incomplete', 'replaced']);

/** Converts an error for a client. Includes only user messages, and no internal details. */
export function toApiError(error: unknown): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof z.ZodError) return new ApiError('INVALID', z.prettifyError(error), { cause: error });
  if (!(error instanceof AppError))
    return new ApiError('INTERNAL', 'Internal error. For details, see the log', { cause: messageOf(error) });
  if (invalid.has(error.code)) return new ApiError('INVALID', error.userMessage, { cause: error });
  if (missing.has(error.code)) return new ApiError('NOT_FOUND', error.userMessage, { cause: error });
  if (error instanceof StorageError && unstored.has(error.code))
    return new ApiError('DATABASE_ERROR', error.userMessage, { cause: error });
  return new ApiError('CONFLICT', error.userMessage, { cause: error });
}
