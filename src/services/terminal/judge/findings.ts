import { isProtected } from '../../../utils/sensitivity/fileSensitivity';
import { t } from '../../../utils/l10n';
import { gitParts } from './parse/innerCommands';
import { variablesIn } from './parse/wrappers';
import { reasonText, type ReasonKey } from './rules/reasons';
import { severities, type SeverityRule, type Severity } from './rules/ruleTable';
import type { Shapes } from './rules/shapes';
import { deletesElsewhere, deletions, writing } from './touchedPaths';

export interface Finding {
  severity: Severity;
  reason: string;
  /** True if the reason names a path outside the workspace. */
  namesPath?: true;
}

/** Variables that make a program run or load another program. */
const programVariables =
  /^(PATH|IFS|ENV|BASH_ENV|PROMPT_COMMAND|SHELL|(\w+_)?(PAGER|EDITOR|VISUAL|BROWSER|ASKPASS)|GIT_\w+|LD_\w+|DYLD_\w+|NODE_\w*OPTIONS|NODE_PATH|PYTHON\w+|PERL5\w+|RUBY\w+|LESSOPEN|npm_config_\w+)$/;
/** Programs whose arguments are not file names. */
const withoutFileNames = new Set(
  'echo printf : true false export alias trap write-output write-host git-commit which type where command man help test-path basename dirname expr seq sleep kill dscl mdutil tmutil'.split(
    ' ',
  ),
);
/** Programs that print names and sizes of files, but not their content. */
const namesOnly = new Set(
  'ls dir find fd stat du tree test [ which get-childitem gci test-path realpath readlink basename dirname gh npm chmod chown rm rmdir del mkdir touch cd set-location'.split(
    ' ',
  ),
);
/** Git subcommands whose arguments are not file names. */
const gitWithoutFileNames = /^(commit|log|grep|branch|checkout|switch|tag|merge|stash|remote|push|fetch|pull)$/;
/** Programs whose first operand is a pattern or a script. */
const takesPattern = new Set(
  'grep egrep fgrep zgrep rg ag ack sed awk gawk mawk jq yq tr cut select-string sls findstr fd expr'.split(' '),
);
/** Options that name an output file, either attached or as the next argument. */
const outputs = new Map([
  ['sort', /^(?:-[a-z]*o|--o\w*=?)(.+)?$/i],
  ['tree', /^-o$/],
  ['find', /^-f(?:print0?|printf|ls)$/],
  ['git', /^--ou(?:t|tp|tpu|tput)?(?:=(.*))?$/s],
]);
/** Programs whose second operand is the output file, with their options that have a value. */
const secondIsOutput = new Map([
  ['uniq', /^-[fsw]$/],
  ['xxd', /^-[Rcglnos]$/],
]);
/** Options that name an output folder. Only findings that `isGrave` accepts count for these folders. */
const outputFolders = new Map([
  ['tar', /^(?:-C|--directory)(?:=(.+)?)?$/],
  ['unzip', /^-d(.+)?$/],
]);

export function finding(severity: Severity, reason: ReasonKey): Finding {
  return { severity, reason: reasonText(reason) };
}

/** Sorts findings by severity, highest first. Within a severity, paths outside the workspace come first. */
export function bySeverity(one: Finding, other: Finding): number {
  const difference = severities.indexOf(other.severity) - severities.indexOf(one.severity);
  return difference === 0 ? Number(other.namesPath === true) - Number(one.namesPath === true) : difference;
}

export function isGrave({ severity }: Finding): boolean {
  return severity === 'high' || severity === 'critical';
}

/** `rule` is the rule of the program that matches these arguments, if there is one. See `matchRule`. */
export function judgeByTable(
  { program, first, rule }: { program: string; first: string; rule: SeverityRule | undefined },
  args: readonly string[],
  shapes: Shapes,
): Finding[] {
  if (/^(export|declare|readonly|typeset)$/.test(program)) return judgeVariables(variablesIn(args));
  if (program === 'tee') return operandsIn(args).flatMap((arg) => judgeTarget(arg, shapes));
  const isVersion = args.length === 1 && /^(--version|-version|--help|-V)$/.test(args[0] ?? '') && !/[\\/]/.test(first);
  if (isVersion || (/^(node|java|npm)$/.test(program) && args.length === 1 && args[0] === '-v')) return [];
  const ofGit = program === 'git' ? judgeGitOptions(args) : [];
  const runs: Finding = { severity: rule?.severity ?? 'medium', reason: runsProgram(program) };
  if (!rule) return [...ofGit, runs];
  const found =
    rule.reason === null
      ? [runs].filter(({ severity }) => severity !== 'low')
      : /^deletes(Broadly|Outside)$/.test(rule.reason) || deletesElsewhere(program, args, shapes)
        ? deletions(program, rule.severity, args, shapes)
        : [finding(rule.severity, rule.reason)];
  const readsOutside =
    rule.severity === 'low' && !withoutFileNames.has(program) && namesIn(program, args).some((name) => shapes.isOutside(name));
  return [...found, ...ofGit, ...(readsOutside ? [finding('medium', 'readsOutside')] : [])];
}

export function runsProgram(program: string): string {
  return t('runs {0}', program);
}

function judgeGitOptions(args: readonly string[]): Finding[] {
  const { options } = gitParts(args);
  const findings: Finding[] = [];
  if (options.some((arg) => /^(-c|--config-env|--exec-path=)/.test(arg))) findings.push(finding('high', 'otherSettings'));
  if (options.some((arg) => /^--(git-dir|work-tree)/.test(arg))) findings.push(finding('medium', 'otherRepository'));
  if (args.some((arg) => arg.length > 4 && '--ext-diff'.startsWith(arg))) findings.push(finding('high', 'runsAnother'));
  return findings;
}

export function judgeWrites(program: string, args: readonly string[], shapes: Shapes): Finding[] {
  const written = (option: RegExp | undefined): Finding[] =>
    args.flatMap((arg, index) => {
      const match = option?.exec(arg);
      return match ? judgeTarget(match[1] ?? args[index + 1] ?? '', shapes) : [];
    });
  const valued = secondIsOutput.get(program);
  if (valued !== undefined) {
    const operands = args.filter((arg, index) => !arg.startsWith('-') && !valued.test(args[index - 1] ?? ''));
    return operands.slice(1, 2).flatMap((arg) => judgeTarget(arg, shapes));
  }
  if (/^(cp|mv|ln|install|rsync)$/.test(program)) return judgeTarget(operandsIn(args).at(-1) ?? '', shapes).filter(isGrave);
  return [...written(outputs.get(program)), ...written(outputFolders.get(program)).filter(isGrave)];
}

export function judgeTarget(target: string, shapes: Shapes): Finding[] {
  if (/^(\/dev\/(null|stdout|stderr|tty|fd\/\d+)|nul|\$null|&\d+)$/i.test(target)) return [];
  if (/^\/dev\/(tcp|udp)\//.test(target)) return [finding('high', 'usesNetwork')];
  if (/^(\/dev\/|\\\\\.\\)/.test(target)) return [{ severity: 'critical', reason: t('writes to the device {0}', target) }];
  if (/^([/~]|[a-z]:)/i.test(target) || shapes.isOutside(target)) return [writing('high', target, shapes)];
  // A protected file runs automatically, or configures Git or the editor.
  return [writing(isProtected(target.replace(/\\/g, '/')) ? 'high' : 'medium', target, shapes)];
}

export function judgeRead(source: string, shapes: Shapes): Finding[] {
  if (/^\/dev\/(tcp|udp)\//.test(source)) return [finding('high', 'usesNetwork')];
  if (shapes.isSecret(source)) return [finding('high', 'readsSecrets')];
  return shapes.isOutside(source) ? [finding('medium', 'readsOutside')] : [];
}

export function readsSecret(program: string, args: readonly string[], shapes: Shapes): boolean {
  if (withoutFileNames.has(program) || namesOnly.has(program)) return false;
  const names = namesIn(program, args);
  if (program === 'git' && gitWithoutFileNames.test(names[0] ?? '')) return false;
  return [...names, ...args.filter((arg) => /^-[^=]*[=@]/.test(arg))].some((name) => shapes.isSecret(name));
}

export function judgeVariables(variables: readonly string[]): Finding[] {
  if (variables.some((name) => programVariables.test(name))) return [finding('high', 'changesPrograms')];
  return variables.length > 0 ? [finding('medium', 'setsVariables')] : [];
}

function operandsIn(args: readonly string[]): string[] {
  return args.filter((arg) => !arg.startsWith('-'));
}

function namesIn(program: string, args: readonly string[]): string[] {
  const isPattern = takesPattern.has(program) && !args.some((arg) => /^(-e|-f|--regexp|--file)$/.test(arg));
  return operandsIn(args).slice(isPattern ? 1 : 0);
}
