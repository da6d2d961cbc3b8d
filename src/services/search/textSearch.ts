import type { Logger } from '../../utils/logger';
import { Ripgrep } from './ripgrep';
import { SearchError, type TextMatches, type TextQuery, type TextSearcher } from './textQuery';

/** Knows where a ripgrep binary is; the editor brings one. */
export interface RipgrepLocator {
  locate(): Promise<string | undefined>;
}

/** Searches with ripgrep where there is one that starts, otherwise by the means at hand. */
export class TextSearch implements TextSearcher {
  private binary: Promise<string | undefined> | undefined;

  constructor(
    private readonly locator: RipgrepLocator,
    private readonly fallback: TextSearcher,
    private readonly logger: Logger,
  ) {}

  async search(query: TextQuery, signal: AbortSignal): Promise<TextMatches> {
    this.binary ??= this.locator.locate().catch(() => undefined);
    const binary = await this.binary;
    if (binary !== undefined) {
      try {
        return await new Ripgrep(binary).search(query, signal);
      } catch (error) {
        if (!(error instanceof SearchError) || error.code !== 'unavailable') throw error;
        this.logger.warn('ripgrep cannot be used; searching without it', error);
        this.binary = Promise.resolve(undefined);
      }
    }
    return this.fallback.search(query, signal);
  }
}
