import { isProtected } from '../../../utils/sensitivity/fileSensitivity';
import { t } from '../../../utils/l10n';
import { gitParts } from './parse/innerCommands';
import { variablesIn } from './parse/wrappers';
import { matchRule } from './rules/matchRule';
import { reasonText, type ReasonKey } from './rules/reasons';
import { severities, type Severity } from './rules/ruleTable';
import type { Shapes } from './rules/shapes';

export interface Finding {
  severity: Severity;
  reason: string;
}

/** Variables by which a program is made to run, or to load, another one. */
const steering =
  /^(PATH|IFS|ENV|BASH_ENV|PROMPT_COMMAND|SHELL|(\w+_)?(PAGER|EDITOR|VISUAL|BROWSER|ASKPASS)|GIT_\w+|LD_\w+|DYLD_\w+|NODE_\w*OPTIONS|NODE_PATH|PYTHON\w+|PERL5\w+|RUBY\w+|LESSOPEN|npm_config_\w+)$/;
/** Programs whose words are no names of files. */
const textual = new Set(
  'echo printf : true false export alias trap write-output write-host git-commit which type where command man help test-path basename dirname expr seq sleep kill'.split(
    ' ',
  ),
);
/** Programs that tell names and sizes, not what is in a file. */
const naming = new Set(
  'ls dir find fd stat du tree test [ which get-childitem gci test-path realpath readlink basename dirname gh npm chmod chown rm rmdir del mkdir touch cd set-location'.split(
    ' ',
  ),
);
/** Subcommands of git whose words are no names of files. */
const gitTextual = /^(commit|log|grep|branch|checkout|switch|tag|merge|stash|remote|push|fetch|pull)$/;
/** Programs whose first operand is a pattern or a program. */
const patterned = new Set(
  'grep egrep fgrep zgrep rg ag ack sed awk gawk mawk jq yq tr cut select-string sls findstr fd expr'.split(' '),
);
/** Options that name a file which a program writes: joined to it, or as the next argument. */
const outputs = new Map([
  ['sort', /^(?:-[a-z]*o|--o\w*=?)(.+)?$/i],
  ['tree', /^-o$/],
  ['find', /^-f(?:print0?|printf|ls)$/],
  ['git', /^--ou(?:t|tp|tpu|tput)?(?:=(.*))?$/s],
]);
/** The same of a folder: what is written in it only counts if it is grave. */
const outputFolders = new Map([
  ['tar', /^(?:-C|--directory)(?:=(.+)?)?$/],
  ['unzip', /^-d(.+)?$/],
]);

/** Builds a finding from a reason that names nothing of the command. */
export function finding(severity: Severity, reason: ReasonKey): Finding {
  return { severity, reason: reasonText(reason) };
}

/** Compares severities: the highest first. */
export function bySeverity(one: Finding, other: Finding): number {
  return severities.indexOf(other.severity) - severities.indexOf(one.severity);
}

/** Tells whether a finding is at least high. */
export function isGrave({ severity }: Finding): boolean {
  return severity === 'high' || severity === 'critical';
}

/** Judges a program and its arguments by the table of rules. */
export function judgeByTable(program: string, first: string, args: readonly string[], shapes: Shapes): Finding[] {
  if (/^(export|declare|readonly|typeset)$/.test(program)) return judgeVariables(variablesIn(args));
  if (program === 'tee') return operandsIn(args).flatMap((arg) => judgeTarget(arg, shapes));
  const isVersion = args.length === 1 && /^(--version|-version|--help|-V)$/.test(args[0] ?? '') && !/[\\/]/.test(first);
  if (isVersion || (/^(node|java|npm)$/.test(program) && args.length === 1 && args[0] === '-v')) return [];
  const ofGit = program === 'git' ? judgeGitOptions(args) : [];
  const rule = matchRule(program, args, shapes);
  const runs: Finding = { severity: rule?.severity ?? 'medium', reason: t('runs {0}', program) };
  if (!rule) return [...ofGit, runs];
  const found =
    rule.reason === null ? [runs].filter(({ severity }) => severity !== 'low') : [finding(rule.severity, rule.reason)];
  const readsOutside =
    rule.severity === 'low' && !textual.has(program) && namesIn(program, args).some((name) => shapes.isOutside(name));
  return [...found, ...ofGit, ...(readsOutside ? [finding('medium', 'readsOutside')] : [])];
}

/** Judges the options of git that stand before its subcommand. */
function judgeGitOptions(args: readonly string[]): Finding[] {
  const { options } = gitParts(args);
  const findings: Finding[] = [];
  if (options.some((arg) => /^(-c|--config-env|--exec-path=)/.test(arg))) findings.push(finding('high', 'otherSettings'));
  if (options.some((arg) => /^--(git-dir|work-tree)/.test(arg))) findings.push(finding('medium', 'otherRepository'));
  if (args.some((arg) => arg.length > 4 && '--ext-diff'.startsWith(arg))) findings.push(finding('high', 'runsAnother'));
  return findings;
}

/** Judges the files that a command names as output. */
export function judgeWrites(program: string, args: readonly string[], shapes: Shapes): Finding[] {
  const written = (option: RegExp | undefined): Finding[] =>
    args.flatMap((arg, index) => {
      const match = option?.exec(arg);
      return match ? judgeTarget(match[1] ?? args[index + 1] ?? '', shapes) : [];
    });
  if (program === 'uniq')
    return operandsIn(args)
      .slice(1, 2)
      .flatMap((arg) => judgeTarget(arg, shapes));
  if (/^(cp|mv|ln|install|rsync)$/.test(program)) return judgeTarget(operandsIn(args).at(-1) ?? '', shapes).filter(isGrave);
  return [...written(outputs.get(program)), ...written(outputFolders.get(program)).filter(isGrave)];
}

/** Judges a file that is written to. */
export function judgeTarget(target: string, shapes: Shapes): Finding[] {
  if (/^(\/dev\/(null|stdout|stderr|tty|fd\/\d+)|nul|\$null|&\d+)$/i.test(target)) return [];
  if (/^\/dev\/(tcp|udp)\//.test(target)) return [finding('high', 'usesNetwork')];
  if (/^(\/dev\/|\\\\\.\\)/.test(target)) return [{ severity: 'critical', reason: t('writes to the device {0}', target) }];
  if (/^([/~]|[a-z]:)/i.test(target) || shapes.isOutside(target))
    return [{ severity: 'high', reason: t('writes outside its folder ({0})', target) }];
  // A protected file runs by itself, or tells git and the editor what to run.
  return [{ severity: isProtected(target.replace(/\\/g, '/')) ? 'high' : 'medium', reason: t('writes {0}', target) }];
}

/** Judges a file that is read from. */
export function judgeRead(source: string, shapes: Shapes): Finding[] {
  if (/^\/dev\/(tcp|udp)\//.test(source)) return [finding('high', 'usesNetwork')];
  if (shapes.isSecret(source)) return [finding('high', 'readsSecrets')];
  return shapes.isOutside(source) ? [finding('medium', 'readsOutside')] : [];
}

/** Tells whether a program reads a file that may hold secrets. */
export function readsSecret(program: string, args: readonly string[], shapes: Shapes): boolean {
  if (textual.has(program) || naming.has(program)) return false;
  const names = namesIn(program, args);
  if (program === 'git' && gitTextual.test(names[0] ?? '')) return false;
  return [...names, ...args.filter((arg) => /^-[^=]*[=@]/.test(arg))].some((name) => shapes.isSecret(name));
}

/** Judges variables that are set, by their names. */
export function judgeVariables(variables: readonly string[]): Finding[] {
  if (variables.some((name) => steering.test(name))) return [finding('high', 'changesPrograms')];
  return variables.length > 0 ? [finding('medium', 'setsVariables')] : [];
}

function operandsIn(args: readonly string[]): string[] {
  return args.filter((arg) => !arg.startsWith('-'));
}

/** Returns the operands that may name files. */
function namesIn(program: string, args: readonly string[]): string[] {
  const isPattern = patterned.has(program) && !args.some((arg) => /^(-e|-f|--regexp|--file)$/.test(arg));
  return operandsIn(args).slice(isPattern ? 1 : 0);
}
