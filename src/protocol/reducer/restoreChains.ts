import type { EntryOf } from '../entries';

/** Restore, together with all later restores that undo or repeat all or part of it. */
export interface RestoreChain {
  paths: ReadonlySet<string>;
  /** Files that are still restored. */
  restored: Set<string>;
}

/** Effect of a log entry on its chain. */
export interface RestoreEffect {
  chain: RestoreChain;
  /** `first`: a new chain. `repeat`: a restore that undoes an undo. */
  kind: 'first' | 'undo' | 'repeat';
  /** Number of files that are restored after the entry. */
  restored: 'all' | 'some' | 'none';
}

/** Tracks which files of each restore are still restored. An undo can apply to only some of the files. */
export class RestoreChains {
  private readonly byOperation = new Map<string, { chain: RestoreChain; paths: readonly string[]; isUndo: boolean }>();

  add({ data }: EntryOf<'restore'>): RestoreEffect {
    const { operationId, undoes, isWhole = false, left = [] } = data;
    const earlier = undoes === undefined ? undefined : this.byOperation.get(undoes);
    const paths = isWhole && earlier !== undefined ? earlier.paths : data.paths;
    const chain = earlier?.chain ?? { paths: new Set(paths), restored: new Set(paths) };
    const isUndo = earlier?.isUndo === false;
    for (const path of paths) {
      if (isUndo) chain.restored.delete(path);
      else chain.restored.add(path);
    }
    if (operationId !== undefined) this.byOperation.set(operationId, { chain, paths, isUndo });
    const isAll = chain.restored.size >= chain.paths.size && (isUndo || left.length === 0);
    const some = isAll ? 'all' : 'some';
    return {
      chain,
      kind: earlier === undefined ? 'first' : isUndo ? 'undo' : 'repeat',
      restored: chain.restored.size === 0 ? 'none' : some,
    };
  }
}
