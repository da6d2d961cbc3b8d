import type { Logger } from '../../utils/logger';
import { Ripgrep } from './ripgrep';
import { SearchError, type TextMatches, type TextQuery, type TextSearcher } from './textQuery';

export interface RipgrepLocator {
  locate(): Promise<string | undefined>;
}

/** Searches with ripgrep if it is available, otherwise with the fallback. */
export class TextSearch implements TextSearcher {
  private isBroken = false;

  constructor(
    private readonly locator: RipgrepLocator,
    private readonly fallback: TextSearcher,
    private readonly logger: Logger,
  ) {}

  async search(query: TextQuery, signal: AbortSignal): Promise<TextMatches> {
    // Locate the binary for every search, because a newly added workspace folder may contain it.
    const binary = this.isBroken ? undefined : await this.locator.locate().catch(() => undefined);
    if (binary !== undefined) {
      try {
        return await new Ripgrep(binary).search(query, signal);
      } catch (error) {
        if (!(error instanceof SearchError) || error.code !== 'unavailable') throw error;
        this.logger.warn('ripgrep cannot be used; searching without it', error);
        this.isBroken = true;
      }
    }
    return this.fallback.search(query, signal);
  }
}
