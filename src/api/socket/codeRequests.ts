import { z } from 'zod';
import type { CheckpointInfo } from '../../services/checkpoint/checkpointTable';
import { SnapshotError } from '../../services/checkpoint/snapshotError';
import { ApiError } from '../apiError';
import type { ApiScope, ApiServices } from '../apiPorts';
import type { Dialogs } from '../http/dialogs';
import { dialogState } from '../http/dialogState';
import type { SessionRecord } from '../../types/session';
import type { Entry } from '../../protocol/entries';
import { relatedCalls } from './relatedCalls';
import { entryTypes, toSession, toTranscriptEntry, transcriptTypes } from './transcript';

const id = z.string().min(1).max(200);
const limit = z.number().int().min(1).max(1_000);
const seq = z.number().int().nonnegative();

const params = {
  'code:list-sessions': ['read', z.strictObject({})],
  'code:get-session': ['read', z.strictObject({ id })],
  'code:delete-session': ['write', z.strictObject({ id })],
  'code:get-transcript': [
    'read',
    z.strictObject({
      sessionId: id,
      types: z.array(z.enum(transcriptTypes)).optional(),
      sinceSeq: seq.optional(),
      limit: limit.optional(),
      includeCompacted: z.boolean().optional(),
    }),
  ],
  'code:get-recent-transcript': ['read', z.strictObject({ sessionId: id, limit: limit.optional() })],
  'code:search-transcript': ['read', z.strictObject({ sessionId: id, query: z.string().max(1_000), limit: limit.optional() })],
  'code:get-file-edits': ['read', z.strictObject({ sessionId: id })],
  'code:list-restore-points': ['read', z.strictObject({ sessionId: id })],
  'code:get-restore-point': ['read', z.strictObject({ id })],
  'code:restore': [
    'write',
    z.strictObject({
      restorePointId: id,
      targetDir: z.string().min(1).max(4096),
      files: z.array(z.string().max(4096)).max(100_000).optional(),
      dryRun: z.boolean().optional(),
      keepOwnEdits: z.boolean().optional(),
    }),
  ],
  'code:get-file-at-restore-point': ['read', z.strictObject({ restorePointId: id, filePath: z.string().min(1).max(4096) })],
  'code:delete-restore-point': ['write', z.strictObject({ id })],
  'code:gc': ['write', z.strictObject({})],
} as const satisfies Record<string, readonly [ApiScope, z.ZodType]>;

export type CodeRequestName = keyof typeof params;
export const codeRequestNames = Object.keys(params) as CodeRequestName[];
type Params<K extends CodeRequestName> = z.output<(typeof params)[K][1]>;
type Handlers = { [K in CodeRequestName]: (params: Params<K>, client: string) => Promise<unknown> };

/** Returns the scope and the validated parameters of a request. Throws `NOT_FOUND` and `INVALID`. */
export function checkRequest(type: string, given: unknown): { name: CodeRequestName; scope: ApiScope; params: unknown } {
  const name = codeRequestNames.find((known) => known === type);
  if (name === undefined) throw new ApiError('NOT_FOUND', `Unknown request: ${type.slice(0, 100)}`);
  const [scope, schema] = params[name];
  return { name, scope, params: schema.parse(given ?? {}) };
}

/** Handles requests about code sessions with the view's stores. */
export function codeRequests(services: ApiServices, dialogs: Dialogs): Handlers {
  const { database, engine, restores, controller, background } = services;
  const needPoint = (pointId: string) => engine.checkpoints.info(pointId);
  const findPoint = async (pointId: string) => {
    try {
      return await needPoint(pointId);
    } catch (error) {
      if (error instanceof SnapshotError && error.code === 'notFound') return null;
      throw error;
    }
  };
  const toApiSession = async (record: SessionRecord, interrupted: ReadonlySet<string>) => {
    const state = await dialogState(services, record, interrupted);
    // A run that reached its limit waits for the user.
    return toSession(record, state === 'idle' && record.status === 'paused' ? 'interrupted' : state);
  };
  const toTranscript = async (sessionId: string, entries: readonly (Entry & { isCompacted?: boolean })[]) => {
    const related = await relatedCalls(database.queries, sessionId, entries);
    return entries.map((entry) => toTranscriptEntry(entry, related, entry.isCompacted));
  };
  return {
    'code:list-sessions': async () => {
      const { sessions } = await database.sessions.list({ offset: 0, limit: 100 });
      const interrupted = await database.queries.interrupted();
      return Promise.all(sessions.map((record) => toApiSession(record, interrupted)));
    },
    'code:get-session': async ({ id: sessionId }) => {
      const record = await database.sessions.get(sessionId);
      return record === undefined ? null : toApiSession(record, await database.queries.interrupted());
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
        entries: await toTranscript(sessionId, entries),
        hasMore,
        ...(hasMore && last !== undefined && { nextSeq: last }),
      };
    },
    'code:get-recent-transcript': async ({ sessionId, limit: most = 50 }) => {
      await dialogs.need(sessionId);
      return toTranscript(sessionId, await database.queries.recent(sessionId, most));
    },
    'code:search-transcript': async ({ sessionId, query, limit: most = 20 }) => {
      await dialogs.need(sessionId);
      const { found: hits } = await database.searchEntries({ sessionId, query, offset: 0, limit: most });
      const results = [];
      for (const { seq: at, line, rank = 0 } of hits) {
        const { entries } = await database.queries.page({ sessionId, afterSeq: at - 1, limit: 1, includeCompacted: true });
        const [entry] = entries;
        if (entry?.seq !== at) continue;
        const [found] = await toTranscript(sessionId, [entry]);
        results.push({ entry: found, snippet: formatSnippet(line), rank });
      }
      return results;
    },
    'code:get-file-edits': async ({ sessionId }) => {
      await dialogs.need(sessionId);
      return toTranscript(sessionId, await database.queries.fileEdits(sessionId));
    },
    'code:list-restore-points': async ({ sessionId }) => {
      await dialogs.need(sessionId);
      return (await restores.list(sessionId, { hasCommands: true }))
        .filter(({ state }) => state === 'taken')
        .reverse()
        .map(toPoint);
    },
    'code:get-restore-point': async ({ id: pointId }) => {
      const info = await findPoint(pointId);
      if (info === null) return null;
      const files = (await engine.checkpoints.files(pointId)).flatMap(({ path, state: { hash, mode, size } }) =>
        hash === null ? [] : [{ path, objectHash: hash, mode, size }],
      );
      return { ...toPoint(info), files };
    },
    'code:restore': async ({ restorePointId, targetDir, files, dryRun = false, keepOwnEdits = false }, client) => {
      const { sessionId } = await needPoint(restorePointId);
      const choices = { targetDir, files, dryRun, keepOwnEdits };
      const { restoredFiles, skipped } = await dialogs.restores.restore(sessionId, restorePointId, choices, client);
      return { restoredFiles, skippedFiles: skipped.map(({ path }) => path), ...(skipped.length > 0 && { skipped }) };
    },
    'code:get-file-at-restore-point': async ({ restorePointId, filePath }) => {
      if ((await findPoint(restorePointId)) === null) return null;
      const found = (await engine.checkpoints.files(restorePointId)).find(({ path }) => path === filePath);
      const content = found && (await engine.checkpoints.fileAt(restorePointId, found.root, found.path));
      return content ? Buffer.from(content).toString('base64') : null;
    },
    'code:delete-restore-point': async ({ id: pointId }) => {
      if ((await findPoint(pointId)) === null) return false;
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

/** Returns a line as HTML with matches in `<mark>`. */
function formatSnippet({ text, marks }: { text: string; marks: readonly [number, number][] }): string {
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
