import type { Clock } from '../../utils/clock';
import type { CompletionDocument } from '../completionTypes';
import type { FimContext } from '../models/fimFamily';
import { readImportLines } from './imports';
import type { PromptContext } from './promptBuilder';
import { RecentEdits } from './recentEdits';
import { SnippetRing } from './snippetRing';

/** Milliseconds without typing after which the context is selected again. */
const idleMs = 5000;
/** Minimum cursor jump, in lines, after which the context is selected again. */
const jumpLines = 50;
/** Maximum milliseconds to wait for definitions from the language server. */
const definitionMs = 150;
/** Number of characters around the cursor to compare with snippets. */
const aroundLength = 1500;

/** Finds the definitions of symbols around a cursor, only in files that suggestions may read. */
export type FindDefinitions = (document: CompletionDocument) => Promise<FimContext[]>;

interface Chosen {
  uri: string;
  line: number;
  context: PromptContext;
}

/** Selects the context from other files. Does not change it while the user types, so that the prompt cache stays valid. */
export class ContextKeeper {
  readonly ring = new SnippetRing();
  readonly edits = new RecentEdits();
  private chosen: Chosen | undefined;
  private lastKey = -Infinity;
  /** Number of the current selection. Cached responses depend on it. */
  version = 0;

  constructor(
    private readonly definitions: FindDefinitions,
    private readonly clock: Clock,
  ) {}

  /** Returns the context for a cursor. It stays identical until the user has paused for 5 s or the cursor has jumped. */
  async contextFor(document: CompletionDocument): Promise<PromptContext> {
    const now = this.clock.now();
    const isIdle = now - this.lastKey > idleMs;
    this.lastKey = now;
    const line = countLine(document.before);
    const { chosen } = this;
    if (chosen?.uri === document.uri && !isIdle && Math.abs(chosen.line - line) <= jumpLines) return chosen.context;
    const context = await this.choose(document, line);
    if (JSON.stringify(context) !== JSON.stringify(chosen?.context)) this.version += 1;
    this.chosen = { uri: document.uri, line, context };
    return context;
  }

  private async choose(document: CompletionDocument, line: number): Promise<PromptContext> {
    const { path, before, after } = document;
    const found = await withinTime(this.definitions(document), definitionMs);
    const imports = readImportLines(before);
    const own = imports === '' || before.length < aroundLength * 4 ? [] : [{ path, text: imports }];
    const around = before.slice(-aroundLength) + after.slice(0, aroundLength / 2);
    const stable = [...own, ...distinct(found)];
    const taken = new Set(found.map((piece) => piece.path));
    const alike = this.ring.mostSimilar(around, path, 4).filter((piece) => !taken.has(piece.path));
    // Put the most similar snippet nearest to the cursor.
    return { stable, volatile: [...alike.reverse(), ...this.edits.elsewhere(path, line)] };
  }
}

/** Resolves with the result, or with an empty list on a timeout or a failure. */
async function withinTime(work: Promise<FimContext[]>, ms: number): Promise<FimContext[]> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<FimContext[]>((resolve) => {
    timer = setTimeout(() => resolve([]), ms);
  });
  try {
    return await Promise.race([work.catch(() => []), late]);
  } finally {
    clearTimeout(timer);
  }
}

function distinct(pieces: readonly FimContext[]): FimContext[] {
  const texts = new Set<string>();
  return pieces.filter(({ text }) => !texts.has(text) && texts.add(text));
}

function countLine(before: string): number {
  let lines = 0;
  for (let at = before.indexOf('\n'); at >= 0; at = before.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
