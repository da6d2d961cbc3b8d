import { isRecord, parsedRecord } from '../../../utils/json';

export interface ErrorBody {
  text: string;
  /** Error type of the model runner, such as `exceed_context_size_error`. */
  type?: string | undefined;
  signInUrl?: string | undefined;
  /** Number of prompt tokens and of tokens in the context window, if an overflow error contains them. */
  promptTokens?: number | undefined;
  contextWindow?: number | undefined;
}

/**
 * Parses the error formats of Ollama: `{"error": "text"}`, the same format with the JSON of a runner error as text, and
 * `{"error": {"message": …}}`. Returns undefined for any other text, which does not come from Ollama.
 */
export function parseErrorBody(body: string): ErrorBody | undefined {
  const outer = parsedRecord(body);
  if (outer === undefined) return undefined;
  const signInUrl = typeof outer['signin_url'] === 'string' ? outer['signin_url'] : undefined;
  const inner = isRecord(outer['error']) ? outer['error'] : innerError(outer['error']);
  if (inner && typeof inner['message'] === 'string') {
    return {
      text: inner['message'],
      type: typeof inner['type'] === 'string' ? inner['type'] : undefined,
      signInUrl,
      promptTokens: asNumber(inner['n_prompt_tokens']),
      contextWindow: asNumber(inner['n_ctx']),
    };
  }
  return typeof outer['error'] === 'string' ? { text: outer['error'], signInUrl } : undefined;
}

function innerError(text: unknown): Record<string, unknown> | undefined {
  const parsed = parsedRecord(text);
  const error = parsed?.['error'];
  return isRecord(error) ? error : typeof error === 'string' ? { message: error } : parsed;
}

function asNumber(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
