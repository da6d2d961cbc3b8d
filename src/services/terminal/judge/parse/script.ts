/** Simple command of a script: the text between `;`, `&`, `|`, newlines and parentheses. */
export interface SimpleCommand {
  text: string;
  /** Words without quotes. Known variables are expanded. */
  words: string[];
  assigned: { name: string; value: string }[];
  /** Files that the command writes to, files that it reads from, and its literal input (here-documents and here-strings). */
  writesTo: string[];
  readsFrom: string[];
  inputTexts: string[];
  /** Commands whose output this command reads, nearest first. */
  sources: SimpleCommand[];
  /** Commands in the substitutions of this command. */
  inner: SimpleCommand[];
}

export interface Script {
  /** All commands in order. Commands in a substitution come before the command that contains them. */
  commands: SimpleCommand[];
  /** Commands to display, in order. Excludes commands in substitutions. */
  shown: SimpleCommand[];
  hasSubstitution: boolean;
  /** Reason why the script could not be parsed completely. */
  fault: 'openQuote' | 'syntaxFault' | 'tooLong' | 'noParser' | null;
}

export type Dialect = 'bash' | 'powershell';

export function emptyCommand(text: string): SimpleCommand {
  return { text, words: [], assigned: [], writesTo: [], readsFrom: [], inputTexts: [], sources: [], inner: [] };
}
