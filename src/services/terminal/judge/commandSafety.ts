import { FileSensitivity } from '../../../utils/sensitivity/fileSensitivity';
import { bySeverity, finding, type Finding } from './findings';
import { Judge } from './severityJudge';
import { reasonText } from './rules/reasons';
import type { ReadLimits } from './parse/readScript';
import type { Severity } from './rules/ruleTable';

export type { Severity } from './rules/ruleTable';

export interface CommandAssessment {
  severity: Severity;
  /** True if the command deletes ignored files, which checkpoints do not contain. */
  deletesIgnored: boolean;
  /** Localized reasons, most severe first. Empty for a harmless command. */
  reasons: string[];
  /** Parts of the command in order, each displayed with its own severity. */
  parts: { text: string; severity: Severity }[];
}

export interface AssessOptions {
  /** Workspace folders. Paths inside them do not count as outside, even if they are absolute. */
  roots?: readonly string[];
  /** Detects files that may hold secrets. Defaults to the built-in patterns. */
  secrets?: Pick<FileSensitivity, 'isSecret'>;
  limits?: ReadLimits;
}

const builtInSecrets = new FileSensitivity();
/**
 * Invisible characters, and characters that change the text direction. An emoji variation selector after a pictograph is allowed.
 */
const invisible = /[\p{Cf}\u2028\u2029]|(?!(?<=\p{Extended_Pictographic})\ufe0f)\p{Default_Ignorable_Code_Point}/u;

/**
 * Estimates how much damage a command could do. The result is advice for the user. `autoApprovedCommand` decides which commands
 * need approval. It uses two facts from this result: critical commands and commands that delete ignored files always need
 * approval. A command that cannot be parsed is rated high or critical.
 */
export async function assessCommand(command: string, options: AssessOptions = {}): Promise<CommandAssessment> {
  const { roots = [], secrets = builtInSecrets, limits } = options;
  const judge = new Judge({ roots, secrets, isWindows: process.platform === 'win32', ...(limits ? { limits } : {}) });
  const { findings, shown } = await judge.command(command);
  if (invisible.test(command)) findings.push(finding('high', 'hidesCharacters'));
  findings.sort(bySeverity);
  return {
    severity: highest(findings),
    deletesIgnored: findings.some(({ reason }) => reason === reasonText('deletesIgnored')),
    reasons: [...new Set(findings.map(({ reason }) => reason))],
    parts: shown.map((part) => ({ text: part.text, severity: highest(part.findings) })),
  };
}

function highest(findings: readonly Finding[]): Severity {
  return [...findings].sort(bySeverity)[0]?.severity ?? 'low';
}
