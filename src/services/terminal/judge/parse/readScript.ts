import { parseCommand } from './plainScript';
import { BashReader } from './bashReader';
import { grammarOf } from '../../../syntax/grammars';
import { PowershellReader } from './powershellReader';
import { withSources } from './innerCommands';
import { emptyCommand, type Dialect, type Script, type SimpleCommand } from './script';

export interface ReadLimits {
  /** Longest text that is parsed, in characters. */
  characters: number;
  /** Longest time that a parse may take, in milliseconds. */
  milliseconds: number;
}

export const readLimits: ReadLimits = { characters: 20_000, milliseconds: 500 };

/** The largest tree that is walked: a script that is no attack has few nodes for its length. */
const mostNodes = 12_000;

/** Reads a script by its grammar; where that cannot be, it is split at what separates commands and the script says why. */
export async function readScript(text: string, dialect: Dialect, limits: ReadLimits = readLimits): Promise<Script> {
  if (text.length > limits.characters) return { ...plainScript(text.slice(0, limits.characters)), fault: 'tooLong' };
  const end = performance.now() + limits.milliseconds;
  let script: Script | null;
  try {
    const grammar = await grammarOf(dialect);
    const reader = dialect === 'bash' ? new BashReader() : new PowershellReader();
    script = grammar.parse(
      text,
      () => performance.now() > end,
      (root) => (root.descendantCount > mostNodes ? null : reader.read(root)),
    );
  } catch {
    return { ...plainScript(text), fault: 'noParser' };
  }
  if (script === null) return { ...plainScript(text), fault: 'tooLong' };
  if (script.fault === null) return script;
  // What the grammar made of it may leave out the place at fault: both readings count.
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
