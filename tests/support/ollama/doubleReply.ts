import type { OllamaOptions, WireMessage, WireMetrics, WireTool } from '../../../src/types/ollama';

/**
 * When the calls of one answer are sent: `native` all together in the `done:true` line, `rendered` each in a line of its own with an
 * empty final line after it, `harmony` one call in the `done:true` line.
 */
export type ToolTiming = 'native' | 'rendered' | 'harmony';

export interface ScriptedCall {
  name: string;
  arguments?: Record<string, unknown>;
  /** `null` leaves the id out, as the native path may. By default one is made up. */
  id?: string | null;
}

/** One thing that the model does. A bare string is a piece of text. */
export type Step =
  | string
  | { thinking: string }
  | { call: ScriptedCall }
  /** A call that never comes to its end: nothing is sent until a limit of the request ends it, a token each so many milliseconds. */
  | { endless: ScriptedCall; tokenMs: number }
  /** Silence for so many milliseconds; before the first text not even the headers have been sent. */
  | { wait: number }
  /** Silence until the promise settles. */
  | { hold: Promise<unknown> }
  /** An error line at status 200; with this status when nothing has been sent yet. Ends the answer. */
  | { error: string; status?: number }
  /** These very bytes, put into the stream. */
  | { raw: string }
  /** The stream ends with neither `done:true` nor an error, as the repeat guard ends it. */
  | { end: true }
  /** The connection is reset. */
  | { reset: true };

export interface Reply {
  /** Answers only the requests for which this is true; the others look further down the script. */
  when?: (request: GenerationRequest) => boolean;
  /** An answer with this status instead of a stream. `body` replaces the usual `{"error":…}`. */
  refuse?: { status: number; message?: string; body?: string; contentType?: string; headers?: Record<string, string> };
  steps?: readonly Step[];
  /** Content and thinking that arrive on the final chunk. */
  final?: { text?: string; thinking?: string };
  /** Default `stop`; `length` where `num_predict` or the window cuts the text; `none` leaves the field out. */
  doneReason?: 'stop' | 'length' | 'none';
  /** Default: measured and estimated numbers. Zeros are left out, as on the wire. */
  metrics?: 'none' | WireMetrics;
  /** Default: the timing of the model. */
  timing?: ToolTiming;
  /** The text is sent whole, whatever `num_predict` and the context length say. */
  unlimited?: boolean;
}

export type Scripted = string | readonly Step[] | Reply;

/** What a scripted answer can know of the request that it answers. */
export interface GenerationRequest {
  kind: 'chat' | 'generate';
  /** As sent. */
  model: string;
  messages: readonly WireMessage[];
  tools: readonly WireTool[];
  prompt: string;
  suffix: string;
  think: boolean;
  options: OllamaOptions;
  /** The parsed body, whole. */
  body: Record<string, unknown>;
}

export type ReplyHandler = (request: GenerationRequest) => Scripted | Promise<Scripted>;

export function toReply(scripted: Scripted): Reply {
  if (typeof scripted === 'string') return { steps: [scripted] };
  return isSteps(scripted) ? { steps: scripted } : scripted;
}

/** A pause that a test ends: put `step` into a script, call `release` when the time has come. */
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
