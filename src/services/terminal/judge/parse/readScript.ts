import { parseCommand } from './plainScript';
import { BashReader } from './bashReader';
import { loadGrammar } from '../../../syntax/grammars';
import { PowershellReader } from './powershellReader';
import { withSources } from './innerCommands';
import { emptyCommand, type Dialect, type Script, type SimpleCommand } from './script';

export interface ReadLimits {
  /** Maximum length of a text to parse, in characters. */
  characters: number;
  /** Time limit of a parse, in milliseconds. */
  milliseconds: number;
}

export const readLimits: ReadLimits = { characters: 20_000, milliseconds: 500 };

/** Maximum number of nodes in a syntax tree. A normal script has few nodes relative to its length. */
const maxNodes = 12_000;

/**
 * Parses a script with the grammar of its dialect. If parsing fails, splits the script at command separators and sets `fault`.
 */
export async function readScript(text: string, dialect: Dialect, limits: ReadLimits = readLimits): Promise<Script> {
  if (text.length > limits.characters) return { ...plainScript(text.slice(0, limits.characters)), fault: 'tooLong' };
  let script: Script | null;
  try {
    const grammar = await loadGrammar(dialect);
    const reader = dialect === 'bash' ? new BashReader() : new PowershellReader();
    // The time limit excludes loading the grammar.
    const end = performance.now() + limits.milliseconds;
    script = grammar.parse(
      text,
      () => performance.now() > end,
      (root) => (root.descendantCount > maxNodes ? null : reader.read(root)),
    );
  } catch {
    return { ...plainScript(text), fault: 'noParser' };
  }
  if (script === null) return { ...plainScript(text), fault: 'tooLong' };
  if (script.fault === null) return script;
  // The grammar may skip the faulty part, so the commands of both parsers are judged.
  const plain = plainScript(text);
  return {
    commands: [...plain.commands, ...script.commands],
    shown: plain.shown,
    hasSubstitution: plain.hasSubstitution || script.hasSubstitution,
    fault: plain.fault ?? 'syntaxFault',
  };
}

/** Splits a script without a grammar. */
function plainScript(text: string): Script {
  const { parts, hasSubstitution, isBroken } = parseCommand(text);
  const commands: SimpleCommand[] = [];
  for (const { text: own, words, writesTo, isPiped } of parts) {
    const before = commands.at(-1);
    commands.push({
      ...emptyCommand(own),
      words,
      writesTo,
      sources: isPiped && before ? withSources([before], before.sources) : [],
    });
  }
  return { commands, shown: commands, hasSubstitution, fault: isBroken ? 'openQuote' : null };
}
