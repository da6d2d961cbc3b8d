import type { z } from 'zod';
import type { ApiScope } from '../apiPorts';
import * as s from './schemas';
import type { Dialogs } from './dialogs';

/** Facts of a request that a route may need. */
export interface RouteCall<B, Q> {
  client: string;
  dialog: string;
  /** Last part of the path, where the route has one. */
  item: string;
  body: B;
  query: Q;
}

export interface Route {
  method: 'GET' | 'POST';
  /** Path with `{dialog}` and `{item}`. */
  path: string;
  scope: ApiScope;
  summary: string;
  body?: z.ZodType;
  query?: z.ZodType;
  result: z.ZodType;
  handle(dialogs: Dialogs, call: RouteCall<never, never>): Promise<unknown>;
}

const one = '/api/dialogs/{dialog}';

/** Every route that answers with JSON; `events` streams and is served beside them. */
export const routes: readonly Route[] = [
  route('GET', '/api/dialogs', 'read', 'Lists the dialogs, the most recently active first', {
    result: s.dialogsSchema,
    handle: (dialogs) => dialogs.list(),
  }),
  route('POST', '/api/dialogs', 'write', 'Makes a dialog', {
    body: s.newDialogSchema,
    result: s.dialogSchema,
    handle: (dialogs, { body }) => dialogs.create(body),
  }),
  route('GET', `${one}/history`, 'read', 'Reads events backwards from the end, or from before a cursor', {
    query: s.historyQuery,
    result: s.historySchema,
    handle: (dialogs, { dialog, query }) => dialogs.history(dialog, query),
  }),
  route('GET', `${one}/checkpoints`, 'read', 'Lists the checkpoints, oldest first', {
    result: s.checkpointsSchema,
    handle: (dialogs, { dialog }) => dialogs.checkpoints(dialog),
  }),
  route('GET', `${one}/session`, 'read', 'Tells what has changed since the last approval', {
    result: s.sessionSchema,
    handle: (dialogs, { dialog }) => dialogs.session(dialog),
  }),
  route('POST', `${one}/approve`, 'write', 'Takes the workspace as it is as approved', {
    body: s.approveBody,
    result: s.approvedSchema,
    handle: (dialogs, { dialog, body }) => dialogs.approve(dialog, body),
  }),
  route('POST', `${one}/reset`, 'write', 'Brings the workspace back to the approved state', {
    result: s.resetSchema,
    handle: (dialogs, { dialog }) => dialogs.reset(dialog),
  }),
  route('POST', `${one}/restore`, 'write', 'Brings files back to a checkpoint', {
    body: s.restoreBody,
    result: s.restoredSchema,
    handle: (dialogs, { dialog, body, client }) => dialogs.restore(dialog, body, client),
  }),
  route('POST', `${one}/messages`, 'write', 'Sends a message: it starts a run or waits for the one that is at work', {
    body: s.messageBody,
    result: s.messageSchema,
    handle: (dialogs, { dialog, body }) => dialogs.send(dialog, body),
  }),
  route('POST', `${one}/stop`, 'write', 'Stops the run', {
    result: s.stoppedSchema,
    handle: (dialogs, { dialog }) => dialogs.stop(dialog),
  }),
  route('POST', `${one}/approvals/{item}`, 'run', 'Answers what the agent asks permission for', {
    body: s.approvalBody,
    result: s.doneSchema,
    handle: (dialogs, { dialog, item, body }) => dialogs.decide(dialog, item, body),
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

/** Finds the route of a path; `methods` says by which others it goes where this one has none. Throws `URIError` for a path that is none. */
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
