import type { Logger } from '../../utils/logger';
import { Ripgrep } from './ripgrep';
import { SearchError, type TextMatches, type TextQuery, type TextSearcher } from './textQuery';

/** Knows where a ripgrep binary is; the editor brings one. */
export interface RipgrepLocator {
  locate(): Promise<string | undefined>;
}

/** Searches with ripgrep where there is one that starts, otherwise by the means at hand. */
export class TextSearch implements TextSearcher {
  private isBroken = false;

  constructor(
    private readonly locator: RipgrepLocator,
    private readonly fallback: TextSearcher,
    private readonly logger: Logger,
  ) {}

  async search(query: TextQuery, signal: AbortSignal): Promise<TextMatches> {
    // Each time: a folder may have been added to the workspace in which the one lies that was found before.
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
