import type { OllamaOptions, WireMessage, WireMetrics, WireTool } from '../../../src/types/ollama';

/**
 * Timing of the tool calls in a reply. `native`: all calls in the `done:true` line. `rendered`: each call in a separate line, followed by
 * an empty final line. `harmony`: one call in the `done:true` line.
 */
export type ToolTiming = 'native' | 'rendered' | 'harmony';

export interface ScriptedCall {
  name: string;
  arguments?: Record<string, unknown>;
  /** ID of the call. `null` omits it, as the native path may. By default an ID is generated. */
  id?: string | null;
}

/** One step of a model's reply. A bare string is a piece of text. */
export type Step =
  | string
  | { thinking: string }
  | { call: ScriptedCall }
  /** A call that never ends. Nothing is sent until a limit of the request ends it. Generates one token every `tokenMs` milliseconds. */
  | { endless: ScriptedCall; tokenMs: number }
  /** Pause in milliseconds. Before the first text, not even the headers are sent. */
  | { wait: number }
  /** Pause until the promise settles. */
  | { hold: Promise<unknown> }
  /** An error line with status 200, or an error response with this status if nothing has been sent yet. Ends the reply. */
  | { error: string; status?: number }
  /** Text that is inserted into the stream unchanged. */
  | { raw: string }
  /** Ends the stream with neither `done:true` nor an error, as the repeat guard does. */
  | { end: true }
  /** Resets the connection. */
  | { reset: true };

export interface Reply {
  /** Condition for requests that get this reply. Other requests use a later reply in the script. */
  when?: (request: GenerationRequest) => boolean;
  /** Response with this status instead of a stream. `body` replaces the default `{"error":…}`. */
  refuse?: { status: number; message?: string; body?: string; contentType?: string; headers?: Record<string, string> };
  steps?: readonly Step[];
  /** Content and thinking in the final chunk. */
  final?: { text?: string; thinking?: string };
  /** Default: `stop`, or `length` if `num_predict` or the context window truncates the text. `none` omits the field. */
  doneReason?: 'stop' | 'length' | 'none';
  /** Default: measured and estimated numbers. Zeros are omitted, as on the wire. */
  metrics?: 'none' | WireMetrics;
  /** Default: the timing of the model. */
  timing?: ToolTiming;
  /** If true, the full text is sent, regardless of `num_predict` and the context length. */
  unlimited?: boolean;
}

export type Scripted = string | readonly Step[] | Reply;

/** Properties of a request that a scripted reply can use. */
export interface GenerationRequest {
  kind: 'chat' | 'generate';
  /** Model name as it was sent. */
  model: string;
  messages: readonly WireMessage[];
  tools: readonly WireTool[];
  prompt: string;
  suffix: string;
  think: boolean;
  options: OllamaOptions;
  /** Complete parsed body. */
  body: Record<string, unknown>;
}

export type ReplyHandler = (request: GenerationRequest) => Scripted | Promise<Scripted>;

export function toReply(scripted: Scripted): Reply {
  if (typeof scripted === 'string') return { steps: [scripted] };
  return isSteps(scripted) ? { steps: scripted } : scripted;
}

/** Returns a pause that a test ends. Put `step` into a script and call `release` to continue. */
export function hold(): { step: { hold: Promise<void> }; release: () => void } {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => {
    release = resolve;
  });
  return { step: { hold: released }, release };
}

function isSteps(scripted: readonly Step[] | Reply): scripted is readonly Step[] {
  return Array.isArray(scripted);
}
