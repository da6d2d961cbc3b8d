import type { WireMetrics } from './ollama';

/** Message of a chat that a request belongs to. The requests of a subagent have the `sessionId` of the subagent. */
export interface RequestOrigin {
  sessionId: string;
  /** `seq` of the user input. */
  turn: number;
}

/** A finished request to a model: what was sent, and the server's figures. */
export interface ModelExchange {
  path: '/api/chat' | '/api/generate';
  model: string;
  /** Address of the server, without credentials. */
  address: string;
  body: object;
  /** Absent if the request belongs to no chat. */
  origin?: RequestOrigin;
  /** True for a measurement: its prompt is in no cache. */
  isMeasurement?: boolean;
  /** Milliseconds since the epoch. */
  startedAt: number;
  endedAt: number;
  /** True if the request only loads the model. */
  isLoad: boolean;
  /** null if the answer has no last part: it failed or was stopped. */
  metrics: WireMetrics | null;
}

/** Returns the name under which the subagents of a session send requests. */
export function subagentSession(sessionId: string): string {
  return `${sessionId}#explore`;
}
