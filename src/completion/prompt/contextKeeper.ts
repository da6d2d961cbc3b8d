import type { Clock } from '../../utils/clock';
import type { CompletionDocument } from '../completionTypes';
import type { FimContext } from '../models/fimFamily';
import { importsOf } from './imports';
import type { PromptContext } from './promptBuilder';
import { RecentEdits } from './recentEdits';
import { SnippetRing } from './snippetRing';

/** Milliseconds without a key after which context is chosen anew. */
const idleMs = 5000;
/** Lines of a jump after which it is. */
const jump = 50;
/** Milliseconds that the language server has to tell definitions. */
const definitionMs = 150;
/** Characters around the cursor that other windows are compared with. */
const aroundLength = 1500;

/** Tells of definitions of what stands around a cursor; only of files that completions may see. */
export type FindDefinitions = (document: CompletionDocument) => Promise<FimContext[]>;

interface Chosen {
  uri: string;
  line: number;
  context: PromptContext;
}

/** Chooses what a prompt tells of other files, and keeps to it while somebody types on: the server has read it already. */
export class ContextKeeper {
  readonly ring = new SnippetRing();
  readonly edits = new RecentEdits();
  private chosen: Chosen | undefined;
  private lastKey = -Infinity;
  /** Number of the choice: an answer belongs to one. */
  version = 0;

  constructor(
    private readonly definitions: FindDefinitions,
    private readonly clock: Clock,
  ) {}

  /** Returns the context for a cursor: that of before, byte by byte, unless nobody has typed for 5 s or the cursor has jumped. */
  async contextFor(document: CompletionDocument): Promise<PromptContext> {
    const now = this.clock.now();
    const isIdle = now - this.lastKey > idleMs;
    this.lastKey = now;
    const line = lineOf(document.before);
    const { chosen } = this;
    if (chosen?.uri === document.uri && !isIdle && Math.abs(chosen.line - line) <= jump) return chosen.context;
    const context = await this.choose(document, line);
    if (JSON.stringify(context) !== JSON.stringify(chosen?.context)) this.version += 1;
    this.chosen = { uri: document.uri, line, context };
    return context;
  }

  private async choose(document: CompletionDocument, line: number): Promise<PromptContext> {
    const { path, before, after } = document;
    const found = await withinTime(this.definitions(document), definitionMs);
    const imports = importsOf(before);
    const own = imports === '' || before.length < aroundLength * 4 ? [] : [{ path, text: imports }];
    const around = before.slice(-aroundLength) + after.slice(0, aroundLength / 2);
    const stable = [...own, ...distinct(found)];
    const taken = new Set(found.map((piece) => piece.path));
    const alike = this.ring.like(around, path, 4).filter((piece) => !taken.has(piece.path));
    // The likest stands nearest to the cursor.
    return { stable, volatile: [...alike.reverse(), ...this.edits.elsewhere(path, line)] };
  }
}

/** Returns what comes in time; else, and after a failure, nothing. */
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

function lineOf(before: string): number {
  let lines = 0;
  for (let at = before.indexOf('\n'); at >= 0; at = before.indexOf('\n', at + 1)) lines += 1;
  return lines;
}
