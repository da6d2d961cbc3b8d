import { createBirpc } from 'birpc';
import type { z } from 'zod';
import { hostRequests, type HostApi, type HostRequestName } from './hostApi';
import { viewEvents, type ViewEventName, type ViewEvents } from './webviewEvents';

/**
 * Connection between host and view, based on birpc. Both sides validate every message against the schemas in
 * `hostApi.ts` and `webviewEvents.ts`. The receiver checks parameters and events, and the caller checks
 * results. Invalid messages are reported and dropped.
 */

export interface Channel {
  post(message: unknown): void;
  onMessage(listener: (message: unknown) => void): void;
}

export type ReportProblem = (problem: string) => void;

export interface ViewPort {
  emit<K extends ViewEventName>(name: K, value: ViewEvents[K]): void;
}

/** Failed request. `message` is shown to the user, and `code` is stable. Requests of the view reject with this error. */
export class RequestFailure extends Error {
  constructor(
    readonly code: string,
    message: string,
    options?: { cause?: unknown },
  ) {
    super(message, options);
    this.name = 'RequestFailure';
  }
}

type Call = (...args: unknown[]) => unknown;

/** Connects the host. Calls `api` for requests, and sends events. */
export function connectHost(channel: Channel, api: HostApi, report: ReportProblem): ViewPort {
  const functions: Record<string, Call> = {};
  for (const name of Object.keys(hostRequests) as HostRequestName[]) {
    const schema: z.ZodType = hostRequests[name].params;
    functions[name] = (...args) => {
      const params = schema.safeParse(args[0]);
      if (!params.success) {
        report(`Request "${name}" has malformed parameters: ${params.error.message}`);
        throw new RequestFailure('malformed', `Malformed request: ${name}`);
      }
      return (api[name] as Call)(params.data);
    };
  }
  const remote = createBirpc<Record<string, Call>, Record<string, Call>>(
    functions,
    options(channel, report, Object.keys(functions)),
  );
  return {
    emit: (name, value) => void Promise.resolve(remote.$callEvent(name, value)).catch((error: unknown) => report(String(error))),
  };
}

/** Connects the view. Sends requests and handles events. */
export function connectView(
  channel: Channel,
  handlers: { [K in ViewEventName]: (value: ViewEvents[K]) => void },
  report: ReportProblem,
): HostApi {
  const functions: Record<string, Call> = {};
  for (const name of Object.keys(viewEvents) as ViewEventName[]) {
    const schema: z.ZodType = viewEvents[name];
    functions[name] = (...args) => {
      const value = schema.safeParse(args[0]);
      if (value.success) (handlers[name] as Call)(value.data);
      else report(`Event "${name}" is malformed: ${value.error.message}`);
    };
  }
  const remote = createBirpc<Record<string, Call>, Record<string, Call>>(
    functions,
    options(channel, report, Object.keys(functions)),
  );
  const api: Record<string, Call> = {};
  for (const name of Object.keys(hostRequests) as HostRequestName[]) {
    const schema: z.ZodType = hostRequests[name].result;
    api[name] = async (params) => {
      const answer = await remote.$call(name, params).catch((error: unknown) => {
        throw toFailure(error);
      });
      const result = schema.safeParse(answer);
      if (!result.success) {
        report(`Answer to "${name}" is malformed: ${result.error.message}`);
        throw new RequestFailure('malformed', `Malformed answer: ${name}`);
      }
      return result.data;
    };
  }
  return api as HostApi;
}

function options(channel: Channel, report: ReportProblem, known: readonly string[]) {
  return {
    post: (message: unknown) => channel.post(withPlainError(message)),
    on: (listener: (message: unknown) => void) =>
      channel.onMessage((message) => {
        const problem = findProblem(message, known);
        if (problem === null) listener(message);
        else report(problem);
      }),
    /** No timeout, because a native dialog may stay open for minutes. */
    timeout: -1,
    /** Error responses are plain objects, which the caller of the request handles. */
    onGeneralError: (error: unknown) => {
      if (error instanceof Error) report(String(error));
    },
    onFunctionError: (error: unknown, name: string) => report(`${name}: ${String(error)}`),
  };
}

/** Replaces an `Error` with its code and message, because the editor cannot serialize it. */
function withPlainError(message: unknown): unknown {
  if (typeof message !== 'object' || message === null || !('e' in message) || message.e === undefined) return message;
  const { code, message: text } = toFailure(message.e);
  return { ...message, e: { code, message: text } };
}

function toFailure(error: unknown): RequestFailure {
  if (error instanceof RequestFailure) return error;
  const { code, message } = (typeof error === 'object' && error !== null ? error : { message: error }) as Record<string, unknown>;
  return new RequestFailure(typeof code === 'string' ? code : 'internal', typeof message === 'string' ? message : String(error));
}

/** Returns the problem of a message, or null if it is a birpc message with a declared name. */
function findProblem(message: unknown, known: readonly string[]): string | null {
  if (typeof message !== 'object' || message === null || !('t' in message)) return 'Dropped a message of unknown form';
  if (message.t === 's') return null;
  if (message.t === 'q' && 'm' in message && typeof message.m === 'string' && known.includes(message.m)) return null;
  const named = 'm' in message ? message.m : message.t;
  // Converting a value other than a string to a string could throw.
  return `Dropped an undeclared message: ${typeof named === 'string' ? named.slice(0, 100) : typeof named}`;
}
