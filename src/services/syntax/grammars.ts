import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type * as TreeSitter from '@vscode/tree-sitter-wasm';

/** Properties of a tree-sitter node that are used here. */
export interface SyntaxNode {
  readonly type: string;
  readonly text: string;
  readonly startIndex: number;
  readonly endIndex: number;
  readonly hasError: boolean;
  readonly isMissing: boolean;
  readonly parent: SyntaxNode | null;
  readonly descendantCount: number;
  readonly children: readonly (SyntaxNode | null)[];
  readonly namedChildren: readonly (SyntaxNode | null)[];
  descendantForIndex(start: number, end: number): SyntaxNode | null;
  childForFieldName(name: string): SyntaxNode | null;
}

export interface Grammar {
  /** Parses a text and passes the tree to `read`. Returns null if `deadline` stopped the parser. */
  parse<T>(text: string, deadline: () => boolean, read: (root: SyntaxNode) => T): T | null;
}

const grammars = new Map<string, Promise<Grammar>>();

/**
 * Loads the grammar of a language on first use. `language` is the name
 * that tree-sitter uses. Rejects if the parser files are missing.
 */
export function loadGrammar(language: string): Promise<Grammar> {
  const known = grammars.get(language);
  if (known) return known;
  const loading = load(language);
  grammars.set(language, loading);
  loading.catch(() => grammars.delete(language));
  return loading;
}

let runtime: Promise<{ module: typeof TreeSitter; folder: string }> | null = null;

async function startRuntime(): Promise<{ module: typeof TreeSitter; folder: string }> {
  const module = await import('@vscode/tree-sitter-wasm');
  let folder = '';
  // The runtime passes its own folder. The grammars are in the same folder, both in the package and in `dist`.
  await module.Parser.init({ locateFile: (file: string, own: string) => join((folder = own), file) });
  return { module, folder };
}

async function load(name: string): Promise<Grammar> {
  runtime ??= startRuntime();
  runtime.catch(() => (runtime = null));
  const { module, folder } = await runtime;
  const language = await module.Language.load(await readFile(join(folder, `tree-sitter-${name}.wasm`)));
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
