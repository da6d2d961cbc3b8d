import { z } from 'zod';
import type { CheckpointInfo } from '../../services/checkpoint/checkpointTable';
import { ApiError } from '../apiError';
import type { ApiScope, ApiServices } from '../apiPorts';
import type { Dialogs } from '../http/dialogs';
import { entryTypes, toSession, toTranscriptEntry, transcriptTypes } from './transcript';

const id = z.string().min(1).max(200);
const limit = z.number().int().min(1).max(1_000);
const seq = z.number().int().nonnegative();

/** Parameters of each request, and the right that it takes. */
const params = {
  'code:list-sessions': ['read', z.object({})],
  'code:get-session': ['read', z.object({ id })],
  'code:delete-session': ['write', z.object({ id })],
  'code:get-transcript': [
    'read',
    z.object({
      sessionId: id,
      types: z.array(z.enum(transcriptTypes)).optional(),
      sinceSeq: seq.optional(),
      limit: limit.optional(),
      includeCompacted: z.boolean().optional(),
    }),
  ],
  'code:get-recent-transcript': ['read', z.object({ sessionId: id, limit: limit.optional() })],
  'code:search-transcript': ['read', z.object({ sessionId: id, query: z.string().max(1_000), limit: limit.optional() })],
  'code:get-file-edits': ['read', z.object({ sessionId: id })],
  'code:list-restore-points': ['read', z.object({ sessionId: id })],
  'code:get-restore-point': ['read', z.object({ id })],
  'code:restore': [
    'write',
    z.object({
      restorePointId: id,
      targetDir: z.string().min(1).max(4096),
      files: z.array(z.string().max(4096)).max(100_000).optional(),
      dryRun: z.boolean().optional(),
    }),
  ],
  'code:get-file-at-restore-point': ['read', z.object({ restorePointId: id, filePath: z.string().min(1).max(4096) })],
  'code:delete-restore-point': ['write', z.object({ id })],
  'code:gc': ['write', z.object({})],
} as const satisfies Record<string, readonly [ApiScope, z.ZodType]>;

export type CodeRequestName = keyof typeof params;
export const codeRequestNames = Object.keys(params) as CodeRequestName[];
type Params<K extends CodeRequestName> = z.output<(typeof params)[K][1]>;
type Handlers = { [K in CodeRequestName]: (params: Params<K>, client: string) => Promise<unknown> };

/** Returns the scope and the checked parameters of a request. Throws `NOT_FOUND` and `INVALID`. */
export function checkRequest(type: string, given: unknown): { name: CodeRequestName; scope: ApiScope; params: unknown } {
  const name = codeRequestNames.find((known) => known === type);
  if (name === undefined) throw new ApiError('NOT_FOUND', `There is no request ${type.slice(0, 100)}`);
  const [scope, schema] = params[name];
  return { name, scope, params: schema.parse(given ?? {}) };
}

/** Requests about code sessions, answered by the stores that the view reads. */
export function codeRequests(services: ApiServices, dialogs: Dialogs): Handlers {
  const { database, engine, restores, controller, background } = services;
  const needPoint = (pointId: string) => engine.checkpoints.info(pointId);
  return {
    'code:list-sessions': async () => (await database.sessions.list({ offset: 0, limit: 100 })).sessions.map(toSession),
    'code:get-session': async ({ id: sessionId }) => {
      const record = await database.sessions.get(sessionId);
      return record === undefined ? null : toSession(record);
    },
    'code:delete-session': async ({ id: sessionId }) => {
      if ((await database.sessions.get(sessionId)) === undefined) return false;
      await controller.stop(sessionId);
      await background.endSession(sessionId);
      await database.sessions.delete(sessionId);
      return true;
    },
    'code:get-transcript': async ({ sessionId, types, sinceSeq, limit: most = 50, includeCompacted = false }) => {
      await dialogs.need(sessionId);
      const only = types === undefined || types.length === 0 ? {} : { types: entryTypes(types) };
      const query = { sessionId, ...only, afterSeq: sinceSeq ?? 0, limit: most, includeCompacted };
      const { entries, hasMore } = await database.queries.page(query);
      const last = entries.at(-1)?.seq;
      return {
        entries: entries.map((entry) => toTranscriptEntry(entry, entry.isCompacted)),
        hasMore,
        ...(hasMore && last !== undefined && { nextSeq: last }),
      };
    },
    'code:get-recent-transcript': async ({ sessionId, limit: most = 50 }) => {
      await dialogs.need(sessionId);
      return (await database.queries.recent(sessionId, most)).map((entry) => toTranscriptEntry(entry, entry.isCompacted));
    },
    'code:search-transcript': async ({ sessionId, query, limit: most = 20 }) => {
      await dialogs.need(sessionId);
      const { found } = await database.searchEntries({ sessionId, query, offset: 0, limit: most });
      const results = [];
      for (const [rank, { seq: at, line }] of found.entries()) {
        const { entries } = await database.queries.page({ sessionId, afterSeq: at - 1, limit: 1, includeCompacted: true });
        const [entry] = entries;
        if (entry?.seq !== at) continue;
        results.push({ entry: toTranscriptEntry(entry, entry.isCompacted), snippet: snippetOf(line), rank: rank - found.length });
      }
      return results;
    },
    'code:get-file-edits': async ({ sessionId }) => {
      await dialogs.need(sessionId);
      return (await database.queries.fileEdits(sessionId)).map((entry) => toTranscriptEntry(entry));
    },
    'code:list-restore-points': async ({ sessionId }) => {
      await dialogs.need(sessionId);
      return (await restores.list(sessionId, { hasCommands: true }))
        .filter(({ state }) => state === 'taken')
        .reverse()
        .map(toPoint);
    },
    'code:get-restore-point': async ({ id: pointId }) => {
      const info = await needPoint(pointId);
      const files = (await engine.checkpoints.files(pointId)).flatMap(({ path, state: { hash, mode, size } }) =>
        hash === null ? [] : [{ path, objectHash: hash, mode, size }],
      );
      return { ...toPoint(info), files };
    },
    'code:restore': async ({ restorePointId, targetDir, files, dryRun = false }, client) => {
      const { sessionId } = await needPoint(restorePointId);
      const done = await dialogs.restoreCheckpoint(sessionId, restorePointId, { targetDir, files, dryRun }, client);
      return { restoredFiles: done.restoredFiles, skippedFiles: done.skippedFiles };
    },
    'code:get-file-at-restore-point': async ({ restorePointId, filePath }) => {
      await needPoint(restorePointId);
      const found = (await engine.checkpoints.files(restorePointId)).find(({ path }) => path === filePath);
      const content = found && (await engine.checkpoints.fileAt(restorePointId, found.root, found.path));
      return content ? Buffer.from(content).toString('base64') : null;
    },
    'code:delete-restore-point': async ({ id: pointId }) => {
      await needPoint(pointId);
      await engine.checkpoints.remove(pointId);
      return true;
    },
    'code:gc': async () => {
      const { objects, bytes } = await engine.care.collectGarbage('full');
      return { removed: objects, freedBytes: bytes };
    },
  };
}

function toPoint({ id: pointId, sessionId, title, createdAt, totalSize, fileCount }: CheckpointInfo) {
  return { id: pointId, sessionId, description: title, timestamp: new Date(createdAt).toISOString(), totalSize, fileCount };
}

/** Returns a line as HTML, its matches in `<mark>`. */
function snippetOf({ text, marks }: { text: string; marks: readonly [number, number][] }): string {
  let snippet = '';
  let at = 0;
  for (const [from, to] of marks) {
    snippet += `${escaped(text.slice(at, from))}<mark>${escaped(text.slice(from, to))}</mark>`;
    at = to;
  }
  return snippet + escaped(text.slice(at));
}

function escaped(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}
