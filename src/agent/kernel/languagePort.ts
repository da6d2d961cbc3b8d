/** Position in code. Lines and columns count from 1; files are absolute paths. */
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
 * Queries the language extensions of the editor. Results are empty, and `symbols` null, if no extension supports the language. A language
 * server that has just started gets a short time to answer.
 */
export interface LanguagePort {
  /** Returns the text in the editor, saved or not; null if the file is not text. */
  text(file: string): Promise<{ text: string; language: string } | null>;
  symbols(file: string, signal: AbortSignal): Promise<CodeSymbol[] | null>;
  find(query: string, signal: AbortSignal): Promise<CodeSymbol[]>;
  related(relation: CodeRelation, place: CodePlace, signal: AbortSignal): Promise<CodePlace[]>;
  /** Returns the hover text: types and documentation. */
  hover(place: CodePlace, signal: AbortSignal): Promise<string[]>;
  hierarchy(kind: CodeHierarchy, place: CodePlace, signal: AbortSignal): Promise<CodeSymbol[]>;
}
