import { Worker } from 'node:worker_threads';
import type { Logger } from '../../utils/logger';
import { WorkerCalls } from '../../utils/workerCalls';
import type {
  ChunkText,
  CodebaseCall,
  CodebaseErrorCode,
  CodebaseRequest,
  CodebaseResponse,
  CodebaseWorkerData,
  EmbeddedChunk,
  FoundChunk,
  IndexedRoot,
  QueryMeaning,
  RootState,
  SymbolPlace,
} from './codebaseProtocol';
import type { LanceState } from './vectors/vectorStore';
import type { MessageAnswer, MessagePlace, MessageWork } from './messages/messageProtocol';

export class CodebaseError extends Error {
  constructor(
    readonly code: CodebaseErrorCode,
    message: string,
  ) {
    super(message);
  }
}

/**
 * Calls the codebase worker. The first call starts the worker. If the worker has exited, the next call restarts it. Every call
 * rejects with `CodebaseError`.
 */
export class CodebaseClient {
  private readonly calls: WorkerCalls<CodebaseRequest, CodebaseResponse>;
  private isDisposed = false;

  private trouble: string | null = null;

  constructor(
    workerPath: string,
    directory: string,
    private readonly logger: Logger,
    lanceFolder?: string,
  ) {
    const workerData: CodebaseWorkerData = { directory, lanceFolder };
    this.calls = new WorkerCalls({
      start: () => new Worker(workerPath, { workerData, name: 'codebase', execArgv: [] }),
      onEnd: (cause) => {
        if (!this.isDisposed) logger.warn('The worker of the search index ended', cause);
      },
      toError: () => new CodebaseError('unavailable', 'The worker of the search index ended'),
    });
  }

  async sync(root: IndexedRoot): Promise<void> {
    await this.call({ kind: 'sync', root });
  }

  async touch(root: IndexedRoot, paths: readonly string[]): Promise<void> {
    await this.call({ kind: 'touch', root, paths });
  }

  async search(
    root: IndexedRoot,
    query: string,
    limit: number,
    meaning?: QueryMeaning,
  ): Promise<{ chunks: FoundChunk[]; state: RootState }> {
    const answer = await this.call({ kind: 'search', root, query, limit, meaning });
    if (answer.kind !== 'found') throw unexpected();
    return answer;
  }

  /** Resolves with the definitions of each name, at most one per file. */
  async symbols(root: IndexedRoot, names: readonly string[]): Promise<SymbolPlace[][]> {
    const answer = await this.call({ kind: 'symbols', root, names });
    if (answer.kind !== 'places') throw unexpected();
    return answer.places;
  }

  async state(root: IndexedRoot): Promise<RootState> {
    const answer = await this.call({ kind: 'state', root });
    if (answer.kind !== 'state') throw unexpected();
    return answer.state;
  }

  async toEmbed(root: IndexedRoot, model: string, limit: number, asWords: boolean): Promise<ChunkText[]> {
    const answer = await this.call({ kind: 'toEmbed', root, model, limit, asWords });
    if (answer.kind !== 'texts') throw unexpected();
    return answer.chunks;
  }

  /** Resolves with true if all old vectors were deleted because the new vectors have a different length. */
  async putVectors(root: IndexedRoot, model: string, chunks: readonly EmbeddedChunk[]): Promise<boolean> {
    const answer = await this.call({ kind: 'putVectors', root, model, chunks });
    return answer.kind === 'put' && answer.isCleared;
  }

  async recreate(root: IndexedRoot): Promise<void> {
    await this.call({ kind: 'recreate', root });
  }

  async messages(place: MessagePlace, work: MessageWork): Promise<MessageAnswer> {
    const answer = await this.call({ kind: 'messages', place, work });
    if (answer.kind !== 'messages') throw unexpected();
    return answer.answer;
  }

  /** Searches the shared index of a team. Rejects with a `CodebaseError` whose message explains why the index cannot be read. */
  async shared(asked: Omit<Extract<CodebaseCall, { kind: 'shared' }>, 'kind'>): Promise<FoundChunk[]> {
    const answer = await this.call({ kind: 'shared', ...asked });
    if (answer.kind !== 'shared') throw unexpected();
    return answer.chunks;
  }

  async remove(root: IndexedRoot): Promise<void> {
    await this.call({ kind: 'remove', root });
  }

  async settle(root: IndexedRoot): Promise<void> {
    await this.call({ kind: 'settle', root });
  }

  /** Waits up to one second for the worker to finish, then terminates it. */
  async dispose(): Promise<void> {
    this.isDisposed = true;
    await this.calls.end({ kind: 'close', id: this.calls.newId() }, 1_000);
  }

  private async call(call: CodebaseCall): Promise<CodebaseResponse> {
    if (this.isDisposed) throw new CodebaseError('unavailable', 'The search index is closed');
    const response = await this.calls.post({ ...call, id: this.calls.newId() });
    if (response.kind === 'error') throw new CodebaseError(response.code, response.message);
    const trouble = readLanceState(response)?.trouble ?? null;
    if (trouble !== null && trouble !== this.trouble)
      this.logger.warn(`LanceDB cannot be used; the built-in store of vectors answers instead: ${trouble}`);
    this.trouble = trouble ?? this.trouble;
    return response;
  }
}

function readLanceState(response: CodebaseResponse): LanceState | null {
  if (response.kind === 'state' || response.kind === 'found') return response.state.lance;
  return response.kind === 'messages' && response.answer.did === 'state' ? response.answer.lance : null;
}

function unexpected(): CodebaseError {
  return new CodebaseError('unavailable', 'The worker of the search index answered something else');
}
