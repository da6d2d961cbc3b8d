/** Part of Ollama's HTTP API that this product uses. Unknown fields are kept. Missing metrics stay missing. */

/** Request options (https://github.com/ollama/ollama/blob/main/docs/modelfile.md#valid-parameters-and-values). */
export interface OllamaOptions {
  num_ctx?: number;
  num_predict?: number;
  num_keep?: number;
  num_batch?: number;
  num_gpu?: number;
  num_thread?: number;
  main_gpu?: number;
  seed?: number;
  temperature?: number;
  top_k?: number;
  top_p?: number;
  min_p?: number;
  typical_p?: number;
  /** Newer servers ignore the following four options and log a warning. */
  mirostat?: number;
  mirostat_tau?: number;
  mirostat_eta?: number;
  tfs_z?: number;
  repeat_last_n?: number;
  repeat_penalty?: number;
  presence_penalty?: number;
  frequency_penalty?: number;
  stop?: string[];
}

/** True, false, or the name of a level such as `low`, `medium`, `high` or `max`. */
export type ThinkValue = boolean | string;

export interface WireToolCall {
  id?: string;
  function: { index?: number; name: string; arguments: Record<string, unknown> };
}

/**
 * Tool call in an answer. Text arguments are JSON, or text that the server could not parse.
 * The name is empty if the server sent none.
 */
export interface ReceivedToolCall {
  id?: string;
  function: { index?: number; name: string; arguments: Record<string, unknown> | string };
}

export interface WireMessage {
  role: 'system' | 'user' | 'assistant' | 'tool';
  content: string;
  thinking?: string;
  /** Base64 without a `data:` prefix. */
  images?: string[];
  tool_calls?: WireToolCall[];
  /** Required in messages with `role: "tool"`, together with the next field. */
  tool_name?: string;
  tool_call_id?: string;
}

export interface WireTool {
  type: 'function';
  function: { name: string; description: string; parameters: Record<string, unknown> };
}

/**
 * Common fields of requests. `options` must contain `num_ctx`. `truncate`, `shift` and `keep_alive` are
 * explicit, so that the server never truncates silently.
 */
interface ModelRequest {
  model: string;
  format?: 'json' | Record<string, unknown>;
  options: OllamaOptions & { num_ctx: number };
  keep_alive: string | number;
  think?: ThinkValue;
  truncate: false;
  shift: false;
}

export interface ChatRequest extends ModelRequest {
  messages: WireMessage[];
  tools?: WireTool[];
}

export interface GenerateRequest extends ModelRequest {
  prompt: string;
  suffix?: string;
  system?: string;
  raw?: boolean;
  images?: string[];
}

/** Metrics in the final chunk. Durations are integer nanoseconds. Zero values are omitted. */
export interface WireMetrics {
  total_duration?: number;
  load_duration?: number;
  prompt_eval_count?: number;
  /** Number of prompt tokens from the cache, which `prompt_eval_count` includes. Available from about version 0.33.3. */
  prompt_eval_cached_count?: number;
  prompt_eval_duration?: number;
  eval_count?: number;
  eval_duration?: number;
}

export interface ChatChunk extends WireMetrics {
  model: string;
  created_at: string;
  message: { role: string; content: string; thinking?: string; tool_calls?: ReceivedToolCall[] };
  done: boolean;
  /** `stop`, `length`, `load`, `unload` or missing. Never `tool_calls`. */
  done_reason?: string;
}

export interface GenerateChunk extends WireMetrics {
  model: string;
  created_at: string;
  response: string;
  thinking?: string;
  done: boolean;
  done_reason?: string;
}

export interface WireModelDetails {
  parent_model?: string;
  format?: string;
  family?: string;
  families?: string[] | null;
  parameter_size?: string;
  quantization_level?: string;
}

export interface WireModel {
  name: string;
  model: string;
  modified_at: string;
  size: number;
  digest: string;
  details?: WireModelDetails;
  /** Capabilities, which are unreliable. Use `/api/show` instead. */
  capabilities?: string[];
}

export interface ShowResponse {
  modelfile?: string;
  parameters?: string;
  template?: string;
  details?: WireModelDetails;
  model_info: Record<string, unknown>;
  capabilities?: string[];
  /** Available from version 0.40. */
  thinking?: { values?: unknown; default?: unknown } | null;
  modified_at?: string;
}

export interface RunningModel {
  name: string;
  model: string;
  size: number;
  digest: string;
  expires_at: string;
  size_vram: number;
  context_length?: number;
}

export interface EmbedResponse {
  model: string;
  embeddings: number[][];
  prompt_eval_count?: number;
}

export interface PullProgress {
  status: string;
  digest?: string;
  /** Size in bytes. */
  total?: number;
  /** Completed part in bytes. */
  completed?: number;
}
