/** A place in code, as language extensions of an editor know it. Lines and columns count from 1, files are absolute paths. */
export interface CodePlace {
  file: string;
  line: number;
  column: number;
}

/** A named piece of code. */
export interface CodeSymbol extends CodePlace {
  name: string;
  /** Kind in one word: `function`, `class`. */
  kind: string;
  /** Last line of all of it. */
  endLine: number;
  /** Name of what it is in. */
  container?: string;
  children: CodeSymbol[];
}

export type CodeRelation = 'definition' | 'references' | 'implementations';
/** `callers` and `callees` of a function, `supertypes` and `subtypes` of a type. */
export type CodeHierarchy = 'callers' | 'callees' | 'supertypes' | 'subtypes';

/**
 * Answers of the language extensions of an editor. An answer is empty also where no extension is there for the language; `symbols` is null
 * then. A server that has just been started is waited for a little.
 */
export interface LanguagePort {
  /** Returns the text as the editor has it, saved or not; null for what is no text. */
  text(file: string): Promise<{ text: string; language: string } | null>;
  symbols(file: string, signal: AbortSignal): Promise<CodeSymbol[] | null>;
  find(query: string, signal: AbortSignal): Promise<CodeSymbol[]>;
  related(relation: CodeRelation, place: CodePlace, signal: AbortSignal): Promise<CodePlace[]>;
  /** Returns what the editor shows where the pointer rests: types and documentation. */
  hover(place: CodePlace, signal: AbortSignal): Promise<string[]>;
  hierarchy(kind: CodeHierarchy, place: CodePlace, signal: AbortSignal): Promise<CodeSymbol[]>;
}
