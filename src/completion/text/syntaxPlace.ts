import { grammarOf, type Grammar, type SyntaxNode } from '../../services/syntax/grammars';

/** Names of grammars by the editor's names of languages. */
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
/** Characters around the cursor that are read. */
const reach = { before: 8000, after: 2000 };
/** Milliseconds that reading may take, as somebody is typing. */
const limitMs = 6;
const words = /comment|string|template_chars|char_literal|heredoc/;
/** Brackets and colons in these open no block. */
const noBlocks =
  /^(?:dictionary|pair|slice|lambda|subscript|typed_\w+|named_imports|import_\w+|export_clause|object_pattern|template_substitution|jsx_expression|interpolation|use_list)$/;

/** Surroundings of a cursor: in a comment or string, or behind something that opens a block, or does not. */
export interface SyntaxPlace {
  isInWords: boolean;
  /** True if what stands before the cursor can open a block. */
  mayOpen: boolean;
}

const loaded = new Map<string, Grammar>();

/** Resolves when the grammar of a language can be used; at once for a language without one. */
export async function loadSyntax(languageId: string): Promise<void> {
  const name = grammarNames[languageId];
  if (name !== undefined && !loaded.has(name)) loaded.set(name, await grammarOf(name));
}

/** Tells where a cursor stands; undefined for a language without a grammar, one that is being loaded, or a text that takes too long. */
export function syntaxPlace(before: string, after: string, languageId: string): SyntaxPlace | undefined {
  const grammar = loaded.get(grammarNames[languageId] ?? '');
  if (grammar === undefined) {
    // Without its files completions go by indentation.
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

/** Returns where reading begins: at a line without indentation, so that it is no middle of a block. */
function beginning(before: string): number {
  const from = before.length - reach.before;
  if (from <= 0) return 0;
  const match = /\n(?=[^\s)\]}*#/])/.exec(before.slice(from));
  return match === null ? from : from + match.index + 1;
}

function placeIn(root: SyntaxNode, text: string, at: number): SyntaxPlace {
  const here = root.descendantForIndex(at, at);
  // Before the cursor there may be blanks, and then the text that opens a block.
  const last = text.slice(0, at).trimEnd().length - 1;
  const opener = last < 0 ? null : root.descendantForIndex(last, last + 1);
  return { isInWords: isInWords(here, at), mayOpen: !isNoBlock(opener) };
}

function isInWords(node: SyntaxNode | null, at: number): boolean {
  for (let one = node; one !== null; one = one.parent) {
    if (!words.test(one.type) || one.type === 'template_substitution') continue;
    // At the beginning of one the cursor is before it; behind a comment of a line it is still in it.
    if (one.startIndex < at && (at < one.endIndex || (one.type.includes('comment') && !one.text.startsWith('/*')))) return true;
  }
  return false;
}

function isNoBlock(node: SyntaxNode | null): boolean {
  const parent = node?.parent;
  return node !== null && (words.test(node.type) || noBlocks.test(parent?.type ?? ''));
}
