/** Position in code. Lines and columns start at 1. File paths are absolute. */
export interface CodePlace {
  file: string;
  line: number;
  column: number;
}

export interface CodeSymbol extends CodePlace {
  name: string;
  /** One word, such as `function` or `class`. */
  kind: string;
  /** Last line of the whole symbol. */
  endLine: number;
  /** Name of the enclosing symbol. */
  container?: string;
  children: CodeSymbol[];
}

export type CodeRelation = 'definition' | 'references' | 'implementations';
export type CodeHierarchy = 'callers' | 'callees' | 'supertypes' | 'subtypes';

/**
 * Queries the language extensions of the editor. If no extension supports the language, `symbols` returns
 * null and other results are empty. Waits a short time for a language server that has just started.
 */
export interface LanguagePort {
  /** Returns the text in the editor, including unsaved changes. Returns null if the file is not text. */
  text(file: string): Promise<{ text: string; language: string } | null>;
  symbols(file: string, signal: AbortSignal): Promise<CodeSymbol[] | null>;
  find(query: string, signal: AbortSignal): Promise<CodeSymbol[]>;
  related(relation: CodeRelation, place: CodePlace, signal: AbortSignal): Promise<CodePlace[]>;
  /** Returns the hover text, which contains types and documentation. */
  hover(place: CodePlace, signal: AbortSignal): Promise<string[]>;
  hierarchy(kind: CodeHierarchy, place: CodePlace, signal: AbortSignal): Promise<CodeSymbol[]>;
}
