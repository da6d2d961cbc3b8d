import type { Entry } from '../entries';
import type { Block, ReduceOptions, Timeline, Turn } from '../timeline';
import { splitIntoTurns } from './timelineReducer';
import { reduceTurn } from './timelineTurn';
import type { TurnOptions } from './turnOptions';

interface Remembered {
  entries: readonly Entry[];
  options: TurnOptions;
  turn: Turn;
}

/**
 * Creates a memoized `reduceTimeline` for a growing log. The results equal those of `reduceTimeline`. If a turn
 * consists of the same entry objects, the same turn object is returned. Unchanged blocks are reused in the same way.
 */
export function createTimelineReducer(): (entries: readonly Entry[], options: ReduceOptions) => Timeline {
  let memory = new Map<number, Remembered>();

  return (entries, given) => {
    const next = new Map<number, Remembered>();
    const turns = splitIntoTurns(entries, given).map(({ list, options }) => {
      const seq = list[0]?.seq ?? 0;
      const known = memory.get(seq);
      const isSame = known !== undefined && isEqual(known.options, options) && sameItems(known.entries, list);
      const turn = isSame ? known.turn : withKnownBlocks(reduceTurn(list, options), known?.turn.blocks ?? []);
      next.set(seq, { entries: list, options, turn });
      return turn;
    });
    memory = next;
    return { turns };
  };
}

function withKnownBlocks(turn: Turn, known: readonly Block[]): Turn {
  const bySeq = new Map(known.map((block) => [block.seq, block]));
  return { ...turn, blocks: turn.blocks.map((block) => reuseIfEqual(block, bySeq.get(block.seq))) };
}

function reuseIfEqual(block: Block, known: Block | undefined): Block {
  return known !== undefined && isEqual(block, known) ? known : block;
}

function sameItems(a: readonly unknown[], b: readonly unknown[]): boolean {
  return a.length === b.length && a.every((item, index) => item === b[index]);
}

function isEqual(a: unknown, b: unknown): boolean {
  if (Object.is(a, b)) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  if (Array.isArray(a) !== Array.isArray(b)) return false;
  const entries = Object.entries(a);
  return (
    entries.length === Object.keys(b).length &&
    entries.every(([key, value]) => Object.hasOwn(b, key) && isEqual(value, (b as Record<string, unknown>)[key]))
  );
}
