import { loadGrammar, type Grammar, type SyntaxNode } from '../../services/syntax/grammars';

/** Grammar names by the language identifier of the editor. */
const grammarNames: Readonly<Record<string, string>> = {
  javascript: 'javascript',
  javascriptreact: 'javascript',
  typescript: 'typescript',
  typescriptreact: 'tsx',
  python: 'python',
  go: 'go',
  java: 'java',
  rust: 'rust',
};
/** Maximum number of characters to parse before and after the cursor. */
const reach = { before: 8000, after: 2000 };
/** Maximum milliseconds for parsing. The limit is short because parsing delays typing. */
const limitMs = 6;
const words = /comment|string|template_chars|char_literal|heredoc/;
/** Nodes whose brackets and colons do not open a block. */
const noBlocks =
  /^(?:dictionary|pair|slice|lambda|subscript|typed_\w+|named_imports|import_\w+|export_clause|object_pattern|template_substitution|jsx_expression|interpolation|use_list)$/;

/** Syntactic position of a cursor. */
export interface SyntaxPlace {
  isInText: boolean;
  /** True if the text before the cursor can open a block. */
  mayOpen: boolean;
}

const loaded = new Map<string, Grammar>();

/** Resolves when the grammar of a language is loaded. Resolves at once if the language has no grammar. */
export async function loadSyntax(languageId: string): Promise<void> {
  const name = grammarNames[languageId];
  if (name !== undefined && !loaded.has(name)) loaded.set(name, await loadGrammar(name));
}

/** Returns the syntactic position of a cursor. Returns undefined if no grammar is loaded or parsing takes too long. */
export function syntaxPlace(before: string, after: string, languageId: string): SyntaxPlace | undefined {
  const grammar = loaded.get(grammarNames[languageId] ?? '');
  if (grammar === undefined) {
    // Without a grammar, suggestions use the indentation.
    loadSyntax(languageId).catch(() => undefined);
    return undefined;
  }
  const start = beginning(before);
  const text = before.slice(start) + after.slice(0, reach.after);
  const until = performance.now() + limitMs;
  const at = before.length - start;
  return (
    grammar.parse(
      text,
      () => performance.now() > until,
      (root) => placeIn(root, text, at),
    ) ?? undefined
  );
}

/** Returns the offset at which to start parsing. The offset is at an unindented line, so that no block is split. */
function beginning(before: string): number {
  const from = before.length - reach.before;
  if (from <= 0) return 0;
  const match = /\n(?=[^\s)\]}*#/])/.exec(before.slice(from));
  return match === null ? from : from + match.index + 1;
}

function placeIn(root: SyntaxNode, text: string, at: number): SyntaxPlace {
  const here = root.descendantForIndex(at, at);
  // There may be spaces between the cursor and the text that opens a block.
  const last = text.slice(0, at).trimEnd().length - 1;
  const opener = last < 0 ? null : root.descendantForIndex(last, last + 1);
  return { isInText: isInText(here, at), mayOpen: !isNoBlock(opener) };
}

function isInText(node: SyntaxNode | null, at: number): boolean {
  for (let one = node; one !== null; one = one.parent) {
    if (!words.test(one.type) || one.type === 'template_substitution') continue;
    // At the start of a node, the cursor is before the node. At the end of a line comment, it is still inside the comment.
    if (one.startIndex < at && (at < one.endIndex || (one.type.includes('comment') && !one.text.startsWith('/*')))) return true;
  }
  return false;
}

function isNoBlock(node: SyntaxNode | null): boolean {
  const parent = node?.parent;
  return node !== null && (words.test(node.type) || noBlocks.test(parent?.type ?? ''));
}
