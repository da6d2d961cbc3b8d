import type { WireMetrics } from './ollama';

/** Message in a chat that a request belongs to. The requests of a subagent contain the `sessionId` of the subagent. */
export interface RequestOrigin {
  sessionId: string;
  /** `seq` of the user input. */
  turn: number;
}

/** Finished request to a model, with the sent data and the server's metrics. */
export interface ModelExchange {
  path: '/api/chat' | '/api/generate';
  model: string;
  /** Address of the server, without credentials. */
  address: string;
  body: object;
  /** Origin of the request. Missing if the request does not belong to a chat. */
  origin?: RequestOrigin;
  /** True if the request is a measurement. Its prompt never comes from the prompt cache. */
  isMeasurement?: boolean;
  /** Milliseconds since the epoch. */
  startedAt: number;
  endedAt: number;
  /** True if the request only loads the model. */
  isLoad: boolean;
  /** Metrics. Null if the last chunk of the response is missing because the request failed or was stopped. */
  metrics: WireMetrics | null;
}

/** Returns the session ID that subagents of a session use for their requests. */
export function subagentSession(sessionId: string): string {
  return `${sessionId}#explore`;
}
