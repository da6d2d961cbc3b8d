import { SdkErrorCode, type Client } from '@modelcontextprotocol/client';
import { messageOf } from '../../utils/errors';
import { phrase, type Phrase } from '../../utils/l10n';
import { cleanLine } from '../tools/cleanText';

const maxPages = 64;
/** Maximum length of a cursor in characters. */
const maxCursor = 10_000;

/** Key of the entries in a page, by method. */
const keys = { 'tools/list': 'tools', 'prompts/list': 'prompts' } as const;
type ListMethod = keyof typeof keys;

interface Asked {
  method: string;
  params?: { cursor?: unknown };
}
type Page = Record<string, unknown>;
type Request = (asked: Asked, ...rest: unknown[]) => Promise<Page>;

/** State of reading one list, page by page. */
interface Walk {
  readonly cursors: Set<string>;
  readonly names: Set<unknown>;
  pages: number;
  /** Reason why the reading ended before the last page. Null if it reached the last page. */
  end: Phrase | null;
}

/**
 * Ends a list early if the server repeats pages, has no last page, or fails after the first page.
 * Otherwise, the client would discard the pages that it has read. The client itself reads the
 * pages, because its calls depend on the list that it has read.
 */
export class ListPages {
  private readonly walks = new Map<ListMethod, Walk>();

  constructor(client: Client) {
    const request = client.request.bind(client) as Request;
    const limited: Request = (asked, ...rest) => {
      const read = () => request(asked, ...rest);
      return isListMethod(asked.method) ? this.page(asked.method, asked.params?.cursor, read) : read();
    };
    client.request = limited;
  }

  /** Returns the reason why the last list is incomplete, or null if it is complete. */
  describeEnd(method: ListMethod): Phrase | null {
    return this.walks.get(method)?.end ?? null;
  }

  private async page(method: ListMethod, cursor: unknown, read: () => Promise<Page>): Promise<Page> {
    const known = cursor === undefined ? undefined : this.walks.get(method);
    const walk: Walk = known ?? { cursors: new Set(), names: new Set(), pages: 0, end: null };
    this.walks.set(method, walk);
    const key = keys[method];
    try {
      const page = await read();
      return limitedPage(page, key, walk);
    } catch (error) {
      if (known === undefined || (error as { code?: unknown }).code === SdkErrorCode.ConnectionClosed) throw error;
      walk.end = phrase('A page could not be read: {0}', cleanLine(messageOf(error), 300));
      return { [key]: [] };
    }
  }
}

function isListMethod(method: string): method is ListMethod {
  return Object.hasOwn(keys, method);
}

/** Returns the page. Removes its cursor if no more pages should be read. */
function limitedPage(page: Page, key: string, walk: Walk): Page {
  const entries = page[key] as { name: unknown }[];
  const { nextCursor: next, ...rest } = page;
  const added = entries.filter(({ name }) => !walk.names.has(name));
  for (const { name } of added) walk.names.add(name);
  walk.pages += 1;
  if (typeof next !== 'string') return page;
  const isRepeated = added.length === 0 && (entries.length > 0 || walk.cursors.has(next));
  walk.cursors.add(next);
  if (isRepeated) {
    walk.end = phrase('The server keeps returning the same page. Report this to its author.');
    return { ...rest, [key]: [] };
  }
  if (next.length > maxCursor)
    walk.end = phrase(
      'The cursor of the next page has more than {0} characters. Report this to the author of the server.',
      maxCursor,
    );
  else if (walk.pages >= maxPages) walk.end = phrase('The server has more than {0} pages. Report this to its author.', maxPages);
  return walk.end === null ? page : rest;
}
