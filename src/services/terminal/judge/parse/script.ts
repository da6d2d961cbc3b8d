/** Describes one simple command of a script: what stands between `;`, `&`, `|`, newlines and brackets. */
export interface SimpleCommand {
  /** Holds it as written. */
  text: string;
  /** Holds its words without quotes, known variables put in. */
  words: string[];
  /** Names the variables it sets, and their values. */
  assigned: { name: string; value: string }[];
  /** Lists where it writes to, reads from, and the texts that are fed to it. */
  writesTo: string[];
  readsFrom: string[];
  fed: string[];
  /** Lists the commands whose output it reads, from near to far. */
  sources: SimpleCommand[];
  /** Lists the commands in its substitutions. */
  inner: SimpleCommand[];
}

export interface Script {
  /** Lists all commands in order, those in substitutions before the one that holds them. */
  commands: SimpleCommand[];
  /** Lists those that stand by themselves, in order, to be shown. */
  shown: SimpleCommand[];
  hasSubstitution: boolean;
  /** Tells why it could not be read as a whole. */
  fault: 'openQuote' | 'syntaxFault' | 'tooLong' | 'noParser' | null;
}

export type Dialect = 'bash' | 'powershell';

/** Builds a command without anything. */
export function emptyCommand(text: string): SimpleCommand {
  return { text, words: [], assigned: [], writesTo: [], readsFrom: [], fed: [], sources: [], inner: [] };
}
