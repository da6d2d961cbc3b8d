import { mkdir, open, rename, rm } from 'node:fs/promises';
import path from 'node:path';
import { listImages } from '../../protocol/context/sentImages';
import type { Entry } from '../../protocol/entries';
import { exportFormat, exportVersion, type ExportedHead, type ExportOptions } from '../../protocol/exportedSession';
import type { SessionRecord } from '../../types/session';
import { AppError, CancelledError } from '../../utils/errors';
import { phrase } from '../../utils/l10n';
import { withoutKeys } from '../../utils/sensitivity/keyShapes';
import { toSessionFile, toTranscript } from './codeSessionExport';
import { exportExtensions, createFileName, type ExportFormat } from './exportNames';
import { toHtml } from './htmlExport';
import { toMarkdown } from './markdownExport';
import { selectEntries, type IsSecret } from './selection';
import { retryWhileInUse } from '../../utils/files/retryWhileInUse';

export interface ExportRequest {
  format: ExportFormat;
  options: ExportOptions;
}

/** Text in pieces, possibly produced asynchronously. */
type Pieces = Iterable<string> | AsyncIterable<string>;

interface ExportSources {
  sessions: {
    get(id: string): Promise<SessionRecord | undefined>;
    list(page: { offset: number; limit: number }): Promise<{ sessions: SessionRecord[]; nextOffset: number | null }>;
  };
  log: { read(sessionId: string, sinceRevision: number): Promise<{ entries: Entry[] }> };
  images: { read(hash: string): Promise<Uint8Array | null> };
}

class ExportError extends AppError {
  readonly code = 'sessionMissing';

  constructor() {
    super('No such session', phrase('This chat no longer exists. Start a new chat.'));
  }
}

/** Writes sessions to files. Each file is written completely or not at all. */
export class SessionExporter {
  constructor(
    private readonly sources: ExportSources,
    private readonly secretsOf: (session: SessionRecord) => IsSecret,
    private readonly now: () => number,
  ) {}

  /** Returns a session as text in pieces. For `jsonl`, the first line describes the session, followed by the transcript. */
  async pieces(sessionId: string, request: ExportRequest): Promise<Pieces> {
    const read = await this.read(sessionId, request.options);
    const pieces = this.renderPieces(read, request);
    if (request.format !== 'jsonl') return pieces;
    const head = { format: exportFormat, version: exportVersion, session: read.head };
    return after(`${JSON.stringify(head)}\n`, pieces);
  }

  /**
   * Writes a session to the file (for `jsonl`: the folder) `target`. If it throws a file system error, the target is unchanged.
   */
  async export(sessionId: string, target: string, request: ExportRequest, signal: AbortSignal): Promise<void> {
    const read = await this.read(sessionId, request.options);
    if (request.format !== 'jsonl') {
      await writeWhole(target, this.renderPieces(read, request), signal);
      return;
    }
    await mkdir(target, { recursive: true });
    await writeWhole(path.join(target, 'session.json'), [toSessionFile(read.head)], signal);
    await writeWhole(path.join(target, 'transcript.jsonl'), this.renderPieces(read, request), signal);
  }

  /** Writes every session to a folder, one after the other. If this is cancelled, the sessions written so far are kept. */
  async exportAll(
    folder: string,
    request: ExportRequest,
    onProgress: (done: number, title: string) => void,
    signal: AbortSignal,
  ): Promise<number> {
    await mkdir(folder, { recursive: true });
    const taken = new Set<string>();
    let done = 0;
    for (let offset: number | null = 0; offset !== null;) {
      const page: Awaited<ReturnType<ExportSources['sessions']['list']>> = await this.sources.sessions.list({
        offset,
        limit: 100,
      });
      offset = page.nextOffset;
      for (const { id, title } of page.sessions) {
        if (signal.aborted) throw new CancelledError();
        const name = freeName(createFileName(request.options.secrets ? title : withoutKeys(title)), taken);
        await this.export(id, path.join(folder, `${name}${exportExtensions[request.format]}`), request, signal);
        done += 1;
        onProgress(done, title);
      }
    }
    return done;
  }

  private async read(sessionId: string, options: ExportOptions): Promise<{ head: ExportedHead; entries: Entry[] }> {
    const record = await this.sources.sessions.get(sessionId);
    if (record === undefined) throw new ExportError();
    const { entries } = await this.sources.log.read(sessionId, 0);
    const { id, mode, model, project_path: projectPath, created_at: createdAt, updated_at: updatedAt } = record;
    const title = options.secrets ? record.title : withoutKeys(record.title);
    const head = { id, title, mode, model, projectPath, createdAt, updatedAt, ...(record.is_inline === 1 && { isInline: true }) };
    return { head, entries: selectEntries(entries, options, this.secretsOf(record)) };
  }

  private renderPieces({ head, entries }: { head: ExportedHead; entries: Entry[] }, { format, options }: ExportRequest): Pieces {
    switch (format) {
      case 'markdown':
        return toMarkdown(head, entries);
      case 'html':
        return toHtml(head, entries);
      case 'jsonl':
        return toTranscript(entries);
      case 'json':
        return this.toJson(head, entries, { options, exportedAt: new Date(this.now()).toISOString() });
    }
  }

  private async *toJson(
    session: ExportedHead,
    entries: readonly Entry[],
    around: { options: ExportOptions; exportedAt: string },
  ): AsyncGenerator<string, void> {
    const head = JSON.stringify({ format: exportFormat, version: exportVersion, ...around, session });
    yield `${head.slice(0, -1)},"entries":[`;
    for (const [index, entry] of entries.entries()) yield `${separator(index)}${JSON.stringify(entry)}`;
    yield '\n]';
    const images = around.options.fileContents ? new Set(entries.flatMap(listImages).map(({ hash }) => hash)) : new Set<string>();
    if (images.size > 0) yield ',"images":[';
    for (const [index, hash] of [...images].entries()) {
      const bytes = await this.sources.images.read(hash);
      yield `${separator(index)}${JSON.stringify({ hash, data: Buffer.from(bytes ?? []).toString('base64') })}`;
    }
    yield images.size > 0 ? '\n]}\n' : '}\n';
  }
}

async function* after(first: string, rest: Pieces): AsyncGenerator<string, void> {
  yield first;
  yield* rest;
}

function separator(index: number): string {
  return index === 0 ? '\n' : ',\n';
}

function freeName(name: string, taken: Set<string>): string {
  let free = name;
  for (let number = 2; taken.has(free.toLowerCase()); number += 1) free = `${name} (${number})`;
  taken.add(free.toLowerCase());
  return free;
}

/** Writes a temporary file next to the target. Renames it when all data is on disk. */
async function writeWhole(target: string, pieces: Pieces, signal: AbortSignal): Promise<void> {
  const temporary = path.join(path.dirname(target), `.${path.basename(target)}.${process.pid}.part`);
  const file = await open(temporary, 'w');
  try {
    let waiting = '';
    for await (const piece of pieces) {
      waiting += piece;
      if (waiting.length < 1 << 18) continue;
      if (signal.aborted) throw new CancelledError();
      await file.writeFile(waiting);
      waiting = '';
    }
    if (signal.aborted) throw new CancelledError();
    await file.writeFile(waiting);
    await file.sync();
    await file.close();
    await retryWhileInUse(() => rename(temporary, target));
  } catch (error) {
    await file.close().catch(() => undefined);
    await rm(temporary, { force: true });
    throw error;
  }
}
