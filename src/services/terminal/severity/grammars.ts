import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type * as TreeSitter from '@vscode/tree-sitter-wasm';
import type { Dialect } from './script';

/** Describes what is used of a node of tree-sitter's. */
export interface SyntaxNode {
  readonly type: string;
  readonly text: string;
  readonly startIndex: number;
  readonly endIndex: number;
  readonly hasError: boolean;
  readonly descendantCount: number;
  readonly children: readonly (SyntaxNode | null)[];
  readonly namedChildren: readonly (SyntaxNode | null)[];
  childForFieldName(name: string): SyntaxNode | null;
}

interface Grammar {
  /** Hands the tree to `read`; null where the parse was stopped by the deadline. */
  parse<T>(text: string, deadline: () => boolean, read: (root: SyntaxNode) => T): T | null;
}

const grammars = new Map<Dialect, Promise<Grammar>>();

/** Loads a grammar when it is first needed. Rejects where the files of the parser are not there. */
export function grammarOf(dialect: Dialect): Promise<Grammar> {
  const known = grammars.get(dialect);
  if (known) return known;
  const loading = load(dialect);
  grammars.set(dialect, loading);
  loading.catch(() => grammars.delete(dialect));
  return loading;
}

let runtime: Promise<{ module: typeof TreeSitter; folder: string }> | null = null;

async function startRuntime(): Promise<{ module: typeof TreeSitter; folder: string }> {
  const module = await import('@vscode/tree-sitter-wasm');
  let folder = '';
  // The runtime names the folder it lies in; the grammars lie beside it, in the package and in `dist`.
  await module.Parser.init({ locateFile: (file: string, own: string) => join((folder = own), file) });
  return { module, folder };
}

async function load(dialect: Dialect): Promise<Grammar> {
  runtime ??= startRuntime();
  runtime.catch(() => (runtime = null));
  const { module, folder } = await runtime;
  const language = await module.Language.load(await readFile(join(folder, `tree-sitter-${dialect}.wasm`)));
  return {
    parse: (text, deadline, read) => {
      const parser = new module.Parser();
      try {
        parser.setLanguage(language);
        const tree = parser.parse(text, null, { progressCallback: deadline });
        if (tree === null) return null;
        try {
          return read(tree.rootNode);
        } finally {
          tree.delete();
        }
      } finally {
        parser.delete();
      }
    },
  };
}
