import type { z } from 'zod';
import type { ApiScope } from '../apiPorts';
import * as s from './schemas';
import type { Dialogs } from './dialogs';

export interface RouteCall<B, Q> {
  client: string;
  dialog: string;
  /** Last part of the path if the route has a variable last part. */
  item: string;
  body: B;
  query: Q;
}

export interface Route {
  method: 'GET' | 'POST';
  /** Path pattern with `{dialog}` and `{item}`. */
  path: string;
  scope: ApiScope;
  /** Returns the required scope if it depends on the body. */
  scopeOf?(body: unknown): ApiScope;
  summary: string;
  body?: z.ZodType;
  query?: z.ZodType;
  result: z.ZodType;
  handle(dialogs: Dialogs, call: RouteCall<never, never>): Promise<unknown>;
}

const one = '/api/dialogs/{dialog}';

/** All routes with JSON responses. The route `events` is a stream and is handled separately. */
export const routes: readonly Route[] = [
  route('GET', '/api/dialogs', 'read', 'Lists the dialogs, the most recently active first', {
    result: s.dialogsSchema,
    handle: (dialogs) => dialogs.list(),
  }),
  route('POST', '/api/dialogs', 'write', 'Creates a dialog', {
    body: s.newDialogSchema,
    result: s.createdDialogSchema,
    handle: (dialogs, { body }) => dialogs.create(body),
  }),
  route('POST', '/api/import', 'write', 'Imports dialogs from exported files and other sources', {
    body: s.importBody,
    result: s.importedSchema,
    handle: (dialogs, { body }) => dialogs.import(body),
  }),
  route('GET', `${one}/history`, 'read', 'Reads the latest events, or the events before a cursor', {
    query: s.historyQuery,
    result: s.historySchema,
    handle: (dialogs, { dialog, query }) => dialogs.history(dialog, query),
  }),
  route('GET', `${one}/checkpoints`, 'read', 'Lists the checkpoints, oldest first', {
    result: s.checkpointsSchema,
    handle: (dialogs, { dialog }) => dialogs.checkpoints(dialog),
  }),
  route('GET', `${one}/session`, 'read', 'Returns the changes since the last approval', {
    result: s.sessionSchema,
    handle: (dialogs, { dialog }) => dialogs.session(dialog),
  }),
  route('POST', `${one}/approve`, 'write', 'Approves the current state of the workspace', {
    body: s.approveBody,
    result: s.approvedSchema,
    handle: (dialogs, { dialog, body }) => dialogs.approve(dialog, body),
  }),
  route('POST', `${one}/reset`, 'write', 'Resets the workspace to the approved state', {
    body: s.resetBody,
    result: s.resetSchema,
    handle: (dialogs, { dialog, body }) => dialogs.reset(dialog, body),
  }),
  route('POST', `${one}/restore`, 'write', 'Restores files to a checkpoint', {
    body: s.restoreBody,
    result: s.restoredSchema,
    handle: (dialogs, { dialog, body, client }) => dialogs.restore(dialog, body, client),
  }),
  route('POST', `${one}/messages`, 'write', 'Sends a message. It starts a run, or is queued while a run is active', {
    body: s.messageBody,
    result: s.messageSchema,
    scopeOf: ({ sandbox }) => (sandbox === true ? 'run' : 'write'),
    handle: (dialogs, { dialog, body }) => dialogs.send(dialog, body),
  }),
  route('POST', `${one}/continue`, 'write', 'Continues the last run, such as one that was interrupted', {
    body: s.continueBody,
    result: s.messageSchema,
    scopeOf: ({ sandbox }) => (sandbox === true ? 'run' : 'write'),
    handle: (dialogs, { dialog, body }) => dialogs.continue(dialog, body),
  }),
  route('POST', `${one}/stop`, 'write', 'Stops the run', {
    result: s.stoppedSchema,
    handle: (dialogs, { dialog }) => dialogs.stop(dialog),
  }),
  route('POST', `${one}/approvals/{item}`, 'run', 'Approves or rejects an approval request of the agent', {
    body: s.approvalBody,
    result: s.doneSchema,
    // Every client that can stop the run can also deny the request.
    scopeOf: ({ approve }) => (approve ? 'run' : 'write'),
    handle: (dialogs, { dialog, item, body, client }) => dialogs.decide(dialog, item, body, client),
  }),
  route('POST', `${one}/questions/{item}`, 'write', 'Answers a question of the agent', {
    body: s.questionBody,
    result: s.doneSchema,
    handle: (dialogs, { dialog, item, body }) => dialogs.answer(dialog, item, body),
  }),
];

function route<R extends z.ZodType, B extends z.ZodType, Q extends z.ZodType>(
  method: Route['method'],
  path: string,
  scope: ApiScope,
  summary: string,
  rest: {
    body?: B;
    query?: Q;
    result: R;
    scopeOf?(body: z.output<B>): ApiScope;
    handle(dialogs: Dialogs, call: RouteCall<z.output<B>, z.output<Q>>): Promise<z.input<R>>;
  },
): Route {
  return { method, path, scope, summary, ...rest };
}

export interface FoundRoute {
  route: Route;
  dialog: string;
  item: string;
}

/**
 * Finds the route of a path. If the method does not match, returns the supported
 * `methods`. Throws `URIError` for an invalid path.
 */
export function findRoute(method: string, pathname: string): FoundRoute | { methods: string[] } {
  const parts = pathname.split('/').map((part) => decodeURIComponent(part));
  const methods: string[] = [];
  for (const candidate of routes) {
    const names = candidate.path.split('/');
    if (names.length !== parts.length) continue;
    if (!names.every((name, index) => name === parts[index] || (name.startsWith('{') && parts[index] !== ''))) continue;
    if (candidate.method === method) return { route: candidate, dialog: parts[3] ?? '', item: parts[5] ?? '' };
    methods.push(candidate.method);
  }
  return { methods };
}
