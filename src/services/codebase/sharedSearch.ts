import type { Clock } from '../../utils/clock';
import { messageOf } from '../../utils/errors';
import type { Logger } from '../../utils/logger';
import type { CodebaseClient } from './codebaseClient';
import type { FoundChunk } from './codebaseProtocol';

/** Milliseconds that a search waits for the share. */
const patienceMs = 5_000;

/** Index of a team, where one is set. */
export interface SharedState {
  uri: string;
  /** Reason why it gave nothing the last time; null where it answered or was not asked yet. */
  trouble: string | null;
}

export interface SharedSearchOptions {
  client: Pick<CodebaseClient, 'shared'>;
  /** Folder or address; empty where none is set. */
  uri: () => string;
  clock: Clock;
  logger: Logger;
}

/** Searches the index of LanceDB that a team shares, beside those of this machine: it may be slow or gone, and that holds up nothing. */
export class SharedSearch {
  private last: SharedState | null = null;

  constructor(private readonly options: SharedSearchOptions) {}

  get state(): SharedState | null {
    const uri = this.options.uri();
    return uri === '' ? null : { uri, trouble: this.last?.uri === uri ? this.last.trouble : null };
  }

  /** Resolves with the nearest pieces; with none where no index is set or it does not answer in time. */
  async find(model: string, vector: Float32Array, limit: number, signal: AbortSignal): Promise<FoundChunk[]> {
    const { client, clock, logger } = this.options;
    const uri = this.options.uri();
    if (uri === '') return [];
    const over = new AbortController();
    const late = clock.sleep(patienceMs, AbortSignal.any([signal, over.signal])).then(() => {
      throw new Error(`It did not answer within ${patienceMs / 1_000} seconds`);
    });
    try {
      const chunks = await Promise.race([client.shared({ uri, model, vector, limit }), late]);
      this.last = { uri, trouble: null };
      return chunks;
    } catch (error) {
      if (signal.aborted) return [];
      const trouble = messageOf(error);
      if (trouble !== this.last?.trouble) logger.warn(`The shared index was not searched: ${trouble}`);
      this.last = { uri, trouble };
      return [];
    } finally {
      over.abort();
      late.catch(() => undefined);
    }
  }
}
