import { FileSensitivity } from '../../../utils/sensitivity/fileSensitivity';
import { bySeverity, finding, type Finding } from './findings';
import { Judge } from './severityJudge';
import type { ReadLimits } from './parse/readScript';
import type { Severity } from './rules/ruleTable';

export type { Severity } from './rules/ruleTable';

export interface CommandAssessment {
  severity: Severity;
  /** Reasons for a person, in their language; most severe first, empty for a harmless command. */
  reasons: string[];
  /** The command's parts in order, to be shown each in its own severity. */
  parts: { text: string; severity: Severity }[];
}

export interface AssessOptions {
  /** Folders of the workspace: what lies in them is not outside, however it is named. */
  roots?: readonly string[];
  /** Tells which files may hold secrets; the built-in list by default. */
  secrets?: Pick<FileSensitivity, 'isSecret'>;
  limits?: ReadLimits;
}

const builtInSecrets = new FileSensitivity();
/** Characters that leave no trace on a screen or turn round what is there; allows the mark that makes a character an emoji. */
const invisible = /[\p{Cf}\u2028\u2029]|(?!(?<=\p{Extended_Pictographic})\ufe0f)\p{Default_Ignorable_Code_Point}/u;

/**
 * Says how much a command could do. It is advice for the person who is asked: `unaskedCommand` decides whether a command asks, and
 * takes from here only that a critical one always does. A command that cannot be read is at least high.
 */
export async function assessCommand(command: string, options: AssessOptions = {}): Promise<CommandAssessment> {
  const { roots = [], secrets = builtInSecrets, limits } = options;
  const judge = new Judge({ roots, secrets, isWindows: process.platform === 'win32', ...(limits ? { limits } : {}) });
  const { findings, shown } = await judge.command(command);
  if (invisible.test(command)) findings.push(finding('high', 'hidesCharacters'));
  findings.sort(bySeverity);
  return {
    severity: highest(findings),
    reasons: [...new Set(findings.map(({ reason }) => reason))],
    parts: shown.map((part) => ({ text: part.text, severity: highest(part.findings) })),
  };
}

function highest(findings: readonly Finding[]): Severity {
  return [...findings].sort(bySeverity)[0]?.severity ?? 'low';
}
