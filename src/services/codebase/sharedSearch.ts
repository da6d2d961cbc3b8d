import type { Clock } from '../../utils/clock';
import { messageOf } from '../../utils/errors';
import { t } from '../../utils/l10n';
import type { Logger } from '../../utils/logger';
import { network } from '../network/network';
import type { CodebaseClient } from './codebaseClient';
import type { FoundChunk } from './codebaseProtocol';

/** Milliseconds that a search waits for the shared index. */
const timeoutMs = 5_000;

export interface SharedState {
  uri: string;
  /** Error of the last search. Null if the search succeeded or no search has run yet. */
  trouble: string | null;
}

export interface SharedSearchOptions {
  client: Pick<CodebaseClient, 'shared'>;
  /** Returns the folder or address of the index. Returns an empty string if it is not configured. */
  uri: () => string;
  clock: Clock;
  logger: Logger;
}

/** Searches the LanceDB index of a team. A slow or unreachable index does not block the search. */
export class SharedSearch {
  private last: SharedState | null = null;

  constructor(private readonly options: SharedSearchOptions) {}

  get state(): SharedState | null {
    const uri = this.options.uri();
    return uri === '' ? null : { uri, trouble: this.last?.uri === uri ? this.last.trouble : null };
  }

  /** Resolves with the nearest chunks. Resolves with an empty list if no index is configured or it does not respond in time. */
  async find(model: string, vector: Float32Array, limit: number, signal: AbortSignal): Promise<FoundChunk[]> {
    const { client, clock, logger } = this.options;
    const uri = this.options.uri();
    if (uri === '') return [];
    if (network.isLocalOnly && isRemote(uri)) return this.refuse(uri);
    const over = new AbortController();
    const late = clock.sleep(timeoutMs, AbortSignal.any([signal, over.signal])).then(() => {
      throw new Error(`It did not answer within ${timeoutMs / 1_000} seconds`);
    });
    // LanceDB opens its connections in a separate process, so this call records them.
    const ended = network.began({ purpose: 'lance', detail: uri });
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
      ended('closed');
      over.abort();
      late.catch(() => undefined);
    }
  }

  private refuse(uri: string): FoundChunk[] {
    const trouble = t(
      'The shared index was not searched, because only local connections are allowed and it is at a remote address.',
    );
    this.last = { uri, trouble };
    return [];
  }
}

/** Returns whether LanceDB would contact another machine. */
function isRemote(uri: string): boolean {
  return /^(?!file:)[a-z][a-z0-9+.-]+:\/\//i.test(uri) || /^[\\/]{2}|^file:\/\/[^/]/i.test(uri);
}
