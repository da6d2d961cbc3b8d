import { isProtected } from '../../../utils/sensitivity/fileSensitivity';
import { t } from '../../../utils/l10n';
import { variablesIn } from './parse/wrappers';
import { matchRule } from './rules/matchRule';
import { reasonText } from './rules/reasons';
import type { Severity } from './rules/rule';
import type { Shapes } from './rules/shapes';

export interface Finding {
  severity: Severity;
  reason: string;
}

const order: readonly Severity[] = ['low', 'medium', 'high', 'critical'];
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
/** Programs whose first operand is a pattern or a program. */
const patterned = new Set(
  'grep egrep fgrep zgrep rg ag ack sed awk gawk mawk jq yq tr cut select-string sls findstr fd expr'.split(' '),
);

/** Compares severities: the highest first. */
export function bySeverity(one: Finding, other: Finding): number {
  return order.indexOf(other.severity) - order.indexOf(one.severity);
}

/** Judges a program and its arguments by the table of rules. */
export function judgeByTable(program: string, first: string, args: readonly string[], shapes: Shapes): Finding[] {
  if (program === 'export' || program === 'declare' || program === 'readonly' || program === 'typeset')
    return judgeVariables(variablesIn(args));
  if (program === 'tee') return args.filter((arg) => !arg.startsWith('-')).flatMap((arg) => judgeTarget(arg, shapes));
  const isVersion = args.length === 1 && /^(--version|-version|--help|-V)$/.test(args[0] ?? '') && !/[\\/]/.test(first);
  if (isVersion || ((program === 'node' || program === 'java' || program === 'npm') && args.length === 1 && args[0] === '-v'))
    return [];
  const rule = matchRule(program, args, shapes);
  const findings: Finding[] = [];
  if (program === 'git') {
    const at = args.findIndex(
      (arg, index) =>
        !arg.startsWith('-') && !/^(-[cC]|--(git-dir|work-tree|namespace|config-env|super-prefix))$/.test(args[index - 1] ?? ''),
    );
    const own = at < 0 ? args : args.slice(0, at);
    if (own.some((arg) => /^(-c|--config-env|--exec-path=)/.test(arg)))
      findings.push({ severity: 'high', reason: t('runs with other settings') });
    if (own.some((arg) => /^--(git-dir|work-tree)/.test(arg)))
      findings.push({ severity: 'medium', reason: t('works on another repository') });
    if (args.some((arg) => isShort(arg, '--ext-diff', 5))) findings.push({ severity: 'high', reason: reasonText('runsAnother') });
  }
  if (!rule) return [...findings, { severity: 'medium', reason: t('runs {0}', program) }];
  const [severity, reason] = rule;
  if (reason !== '') findings.unshift({ severity, reason: reasonText(reason) });
  else if (severity !== 'low') findings.unshift({ severity, reason: t('runs {0}', program) });
  if (severity === 'low' && !textual.has(program) && operandsOf(program, args).some((arg) => shapes.isOutside(arg))) {
    findings.push({ severity: 'medium', reason: reasonText('readsOutside') });
  }
  return findings;
}

/** Tells whether a finding is at least high. */
export function isGrave({ severity }: Finding): boolean {
  return severity === 'high' || severity === 'critical';
}

/** Judges the files that a command names as output. */
export function judgeWrites(program: string, args: readonly string[], shapes: Shapes): Finding[] {
  const written = (option: RegExp): Finding[] =>
    args.flatMap((arg, index) => {
      const match = option.exec(arg);
      return match ? judgeTarget(match[1] || (args[index + 1] ?? ''), shapes) : [];
    });
  switch (program) {
    case 'sort':
      return written(/^(?:-[a-z]*o|--o\w*=?)(.*)$/i);
    case 'tree':
      return written(/^-o()$/);
    case 'find':
      return written(/^-f(?:print0?|printf|ls)()$/);
    case 'git':
      return args.flatMap((arg, index) => {
        if (!isShort(arg.replace(/=.*$/s, ''), '--output', 4)) return [];
        return judgeTarget(arg.includes('=') ? arg.slice(arg.indexOf('=') + 1) : (args[index + 1] ?? ''), shapes);
      });
    case 'uniq':
      return args
        .filter((arg) => !arg.startsWith('-'))
        .slice(1, 2)
        .flatMap((arg) => judgeTarget(arg, shapes));
    case 'cp':
    case 'mv':
    case 'ln':
    case 'install':
    case 'rsync':
      return judgeTarget(args.filter((arg) => !arg.startsWith('-')).at(-1) ?? '', shapes).filter(isGrave);
    case 'tar':
      return written(/^(?:-C|--directory)(?:=(.*))?$/).filter(isGrave);
    case 'unzip':
      return written(/^-d(.*)$/).filter(isGrave);
    default:
      return [];
  }
}

/** Tells whether an argument is a long option or the first letters of it, which git takes for the whole. */
function isShort(arg: string, option: string, least: number): boolean {
  return arg.length >= least && option.startsWith(arg);
}

/** Judges a file that is written to. */
export function judgeTarget(target: string, shapes: Shapes): Finding[] {
  if (/^(\/dev\/(null|stdout|stderr|tty|fd\/\d+)|nul|\$null|&\d+)$/i.test(target)) return [];
  if (/^\/dev\/(tcp|udp)\//.test(target)) return [{ severity: 'high', reason: reasonText('usesNetwork') }];
  if (/^(\/dev\/|\\\\\.\\)/.test(target)) return [{ severity: 'critical', reason: t('writes to the device {0}', target) }];
  if (/^([/~]|[a-z]:)/i.test(target) || shapes.isOutside(target)) {
    return [{ severity: 'high', reason: t('writes outside its folder ({0})', target) }];
  }
  // What is written there runs by itself, or tells git and the editor what to run.
  return [{ severity: isProtected(target.replace(/\\/g, '/')) ? 'high' : 'medium', reason: t('writes {0}', target) }];
}

/** Judges a file that is read from. */
export function judgeRead(source: string, shapes: Shapes): Finding[] {
  if (/^\/dev\/(tcp|udp)\//.test(source)) return [{ severity: 'high', reason: reasonText('usesNetwork') }];
  if (shapes.isSecret(source)) return [{ severity: 'high', reason: reasonText('readsSecrets') }];
  return shapes.isOutside(source) ? [{ severity: 'medium', reason: reasonText('readsOutside') }] : [];
}

/** Tells whether a program reads a file that may hold secrets. */
export function readsSecret(program: string, args: readonly string[], shapes: Shapes): boolean {
  if (textual.has(program)) return false;
  const names = operandsOf(program, args);
  if (
    program === 'git' &&
    /^(commit|log|grep|branch|checkout|switch|tag|merge|stash|remote|push|fetch|pull)$/.test(names[0] ?? '')
  )
    return false;
  if (naming.has(program)) return false;
  return [...names, ...args.filter((arg) => /^-[^=]*[=@]/.test(arg))].some((name) => shapes.isSecret(name));
}

function operandsOf(program: string, args: readonly string[]): readonly string[] {
  const operands = args.filter((arg) => !arg.startsWith('-'));
  const isPattern = patterned.has(program) && !args.some((arg) => /^(-e|-f|--regexp|--file)$/.test(arg));
  return isPattern ? operands.slice(1) : operands;
}

/** Judges variables that are set, by their names. */
export function judgeVariables(variables: readonly string[]): Finding[] {
  if (variables.some((name) => steering.test(name))) return [{ severity: 'high', reason: t('changes which programs run') }];
  return variables.length > 0 ? [{ severity: 'medium', reason: t('sets variables') }] : [];
}
