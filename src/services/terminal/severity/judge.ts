import type { FileSensitivity } from '../../../utils/sensitivity/fileSensitivity';
import { t } from '../../../utils/l10n';
import { isWrapper, unprefixed, unwrapped, variablesIn } from '../judge/commandPrefixes';
import { dialectsOf } from './dialect';
import { matchRule } from './matchRule';
import { reasonText } from './reasons';
import { readScript, type ReadLimits } from './readScript';
import type { Severity } from './rule';
import {
  downloadedTo,
  innermost,
  innerTexts,
  innerWords,
  interpreters,
  isDownload,
  powershells,
  programOf,
  shells,
} from './runners';
import { emptyCommand, type Dialect, type Script, type SimpleCommand } from './script';
import { shapesOf, type Shapes } from './shapes';

export interface Finding {
  severity: Severity;
  reason: string;
}

export interface Surroundings {
  /** Folders of the workspace. */
  roots: readonly string[];
  secrets: Pick<FileSensitivity, 'isSecret'>;
  isWindows: boolean;
  limits?: ReadLimits;
}

export interface Judgement {
  findings: Finding[];
  shown: { text: string; findings: Finding[] }[];
}

const order: readonly Severity[] = ['low', 'medium', 'high', 'critical'];
const deepest = 6;
const mostTexts = 60;
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

/** Judges a script by the table of rules, with what it runs inside itself. */
export class Judge {
  private texts = 0;

  constructor(private readonly around: Surroundings) {}

  async command(text: string): Promise<Judgement> {
    const [first = 'bash', ...others] = dialectsOf(text, this.around.isWindows);
    const judged = await this.script(await this.read(text, first), 0);
    for (const dialect of others) {
      // Another shell may find more in it; that it cannot read it, or sees variables where there are programs, says nothing.
      const script = await this.read(text, dialect);
      const { findings } = await this.script({ ...script, fault: null }, 0);
      judged.findings.push(...findings.filter(({ severity }) => severity === 'critical'));
    }
    return judged;
  }

  private read(text: string, dialect: Dialect): Promise<Script> {
    return readScript(text, dialect, this.around.limits);
  }

  private async script(script: Script, depth: number): Promise<Judgement> {
    const findings: Finding[] = [];
    const byCommand = new Map<SimpleCommand, Finding[]>();
    const downloaded = script.commands.flatMap(downloadedTo);
    let isAway = false;
    for (const command of script.commands) {
      const shapes = shapesOf(this.around.roots, this.around.secrets, isAway);
      const found = await this.simple(command, shapes, downloaded, depth);
      byCommand.set(command, found);
      findings.push(...found);
      if (/^(cd|chdir|pushd|set-location|sl|push-location)$/.test(programOf(command.words[0]))) {
        isAway =
          command.words.slice(1).every((word) => word.startsWith('-')) ||
          command.words.slice(1).some((word) => shapes.isOutside(word));
      }
    }
    if (script.hasSubstitution) findings.push({ severity: 'medium', reason: t('runs another command inside it') });
    findings.push(...faultOf(script));
    return {
      findings,
      shown: script.shown.map((command) => ({ text: command.text, findings: allFindings(command, byCommand) })),
    };
  }

  /** Judges a text that is run by something in the command. */
  private async text(text: string, dialect: Dialect, depth: number): Promise<Finding[]> {
    this.texts += 1;
    if (depth >= deepest || this.texts > mostTexts)
      return [{ severity: 'high', reason: t('is nested too deeply to be looked through') }];
    return (await this.script(await this.read(text, dialect), depth + 1)).findings;
  }

  private async simple(command: SimpleCommand, shapes: Shapes, downloaded: string[], depth: number): Promise<Finding[]> {
    const { words, variables } = unprefixed(command.words);
    const findings = command.writesTo.flatMap((target) => judgeTarget(target, shapes));
    findings.push(...judgeVariables([...variables, ...command.assigned.map(({ name }) => name)]));
    for (const source of command.readsFrom) findings.push(...judgeRead(source, shapes));
    const inmost = innermost(command.words);
    const program = programOf(inmost[0]);
    const args = inmost.slice(1);
    if (readsSecret(program, args, shapes)) findings.push({ severity: 'high', reason: reasonText('readsSecrets') });
    const isRunner = shells.has(program) || powershells.has(program) || interpreters.has(program);
    const runsText = /^(eval|source|\.|iex|invoke-expression)$/.test(program);
    const isFetched =
      (command.inner.some(isDownload) && (isRunner || runsText || (inmost[0] ?? '').startsWith('$('))) ||
      ((isRunner || runsText) && command.sources.some(isDownload)) ||
      [...(isRunner || runsText ? args : []), inmost[0] ?? ''].some((word) => downloaded.includes(word.replace(/^\.[\\/]/, '')));
    if (isFetched) findings.push({ severity: 'critical', reason: reasonText('runsDownloaded') });
    if (isRunner) {
      const isFed = command.sources.length > 0 || command.fed.length > 0 || command.readsFrom.length > 0;
      if (isFed && args.every((arg) => arg.startsWith('-') || (args.includes('-s') && arg !== ''))) {
        findings.push({ severity: 'high', reason: reasonText('runsText') });
      }
      if ([...command.writesTo, ...command.readsFrom].some((name) => /^\/dev\/(tcp|udp)\//.test(name)))
        findings.push({ severity: 'critical', reason: reasonText('letsIn') });
      if (!interpreters.has(program)) {
        const dialect: Dialect = powershells.has(program) ? 'powershell' : 'bash';
        for (const fed of [...command.fed, ...command.sources.flatMap(printed)])
          findings.push(...(await this.text(fed, dialect, depth)));
      }
    }
    findings.push(...(await this.words(words, command, shapes, depth)));
    const isGrave = findings.some(({ severity }) => severity === 'high' || severity === 'critical');
    return isGrave ? findings.filter(({ reason }) => reason !== reasonText('readsOutside')) : findings;
  }

  private async words(words: readonly string[], command: SimpleCommand, shapes: Shapes, depth: number): Promise<Finding[]> {
    const [first, ...args] = words;
    if (first === undefined || first === '') return [];
    if (/^[$`]/.test(first) || /^[<>]\(/.test(first)) return [{ severity: 'high', reason: reasonText('runsText') }];
    if (depth > deepest * 2) return [{ severity: 'high', reason: t('is nested too deeply to be looked through') }];
    const program = programOf(first);
    const findings: Finding[] = [];
    for (const inner of innerWords(program, args, command.sources)) {
      const made = { ...emptyCommand(inner.join(' ')), words: [...inner] };
      const isOnFound = /^(find|fd|fdfind)$/.test(program);
      if (isOnFound) findings.push({ severity: 'high', reason: t('runs a command on what it finds') });
      const found = await this.simple(made, shapes, [], depth + 1);
      // What else a starter does is for its own rule to say; of what it starts only what is grave counts.
      const isPlain = isOnFound || program === 'xargs';
      findings.push(...found.filter(({ severity }) => isPlain || severity === 'high' || severity === 'critical'));
    }
    for (const { text, dialect } of innerTexts(program, args)) {
      if (shells.has(program) || powershells.has(program)) findings.push({ severity: 'high', reason: reasonText('runsText') });
      findings.push(...(await this.text(text, dialect, depth)));
    }
    if (
      program === 'xargs' &&
      findings.length > 0 &&
      args.every((arg) => /^(-[\w{}]+|[\w./{}~*-]+)$/.test(arg)) &&
      !unwrapped(program, args).hasUnknownOption
    )
      return findings;
    if (isWrapper(program)) return [...findings, ...(await this.wrapped(program, args, command, shapes, depth))];
    if (interpreters.has(program)) findings.push(...(await this.code(program, args, depth)));
    if (
      (shells.has(program) || powershells.has(program) || interpreters.has(program)) &&
      findings.some(({ severity }) => severity !== 'medium' && severity !== 'low')
    )
      return findings;
    findings.push(...judgeWrites(program, args, shapes));
    if (program === 'find' && args.includes('-delete')) {
      const isBroad = args
        .slice(
          0,
          args.findIndex((arg) => arg.startsWith('-')),
        )
        .some((start) => shapes.isOutside(start));
      findings.push({ severity: isBroad ? 'critical' : 'high', reason: reasonText('deletesFound') });
    }
    if (
      (program === 'remove-item' || program === 'ri' || program === 'rm') &&
      command.sources.some((source) => source.words.slice(1).some((word) => shapes.isOutside(word)))
    )
      findings.push({ severity: 'critical', reason: reasonText('deletesBroadly') });
    return [...findings, ...judgeByTable(program, first, args, shapes)];
  }

  private async wrapped(
    program: string,
    args: string[],
    command: SimpleCommand,
    shapes: Shapes,
    depth: number,
  ): Promise<Finding[]> {
    if (program === 'command' && /^-[vV]$/.test(args[0] ?? '')) return [];
    if (program === 'env' && args.length === 0) return [];
    const { words, variables, hasUnknownOption } = unwrapped(program, args);
    const findings = [...judgeVariables(variables), ...(await this.words(words, command, shapes, depth + 1))];
    if (program === 'sudo' || program === 'doas') findings.push({ severity: 'critical', reason: reasonText('runsAdmin') });
    if (hasUnknownOption) findings.push({ severity: 'high', reason: reasonText('hidesRuns') });
    const split = args.findIndex((arg) => /^(-S|--split-string)/.test(arg));
    if (program === 'env' && split >= 0)
      findings.push(
        ...(await this.text(
          args
            .slice(split)
            .join(' ')
            .replace(/^(-S|--split-string)[= ]?/, ''),
          'bash',
          depth,
        )),
      );
    return findings;
  }

  /** Judges what an interpreter of another language is given as text; the strings in it may be commands. */
  private async code(program: string, args: readonly string[], depth: number): Promise<Finding[]> {
    const at = args.findIndex((arg) => /^(-[a-zA-Z]*[ce]|-[pr]|-E|--eval|--print|eval)$/.test(arg));
    if (at < 0) return [];
    const findings: Finding[] = [{ severity: 'high', reason: reasonText('runsText') }];
    const code = args[at + 1] ?? '';
    if (/(rmtree|remove_tree|rm_rf|rmSync|rmdirSync|rm|remove_dir_all)\s*\(?\s*['"](\/|~|[A-Za-z]:)/.test(code))
      findings.push({ severity: 'critical', reason: reasonText('deletesBroadly') });
    if (program === 'perl' && /\bi/.test(args.join(' '))) return findings;
    for (const [, , text = ''] of code.matchAll(/(["'`])((?:(?!\1)[^\\]|\\.)*)\1/g)) {
      if (!/\s/.test(text)) continue;
      findings.push(...(await this.text(text, 'bash', depth)).filter(({ severity }) => severity === 'critical'));
    }
    return findings;
  }
}

/** Compares severities: the highest first. */
export function bySeverity(one: Finding, other: Finding): number {
  return order.indexOf(other.severity) - order.indexOf(one.severity);
}

function judgeByTable(program: string, first: string, args: readonly string[], shapes: Shapes): Finding[] {
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
    if (args.includes('--ext-diff')) findings.push({ severity: 'high', reason: reasonText('runsAnother') });
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

/** Judges the files that options name as output. */
function judgeWrites(program: string, args: readonly string[], shapes: Shapes): Finding[] {
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
      return written(/^--output(?:=(.*))?$/);
    case 'uniq':
      return args
        .filter((arg) => !arg.startsWith('-'))
        .slice(1, 2)
        .flatMap((arg) => judgeTarget(arg, shapes));
    default:
      return [];
  }
}

function judgeTarget(target: string, shapes: Shapes): Finding[] {
  if (/^(\/dev\/(null|stdout|stderr|tty|fd\/\d+)|nul|\$null|&\d+)$/i.test(target)) return [];
  if (/^\/dev\/(tcp|udp)\//.test(target)) return [{ severity: 'high', reason: reasonText('usesNetwork') }];
  if (/^(\/dev\/|\\\\\.\\)/.test(target)) return [{ severity: 'critical', reason: t('writes to the device {0}', target) }];
  if (/^([/~]|[a-z]:)/i.test(target) || shapes.isOutside(target)) {
    return [{ severity: 'high', reason: t('writes outside its folder ({0})', target) }];
  }
  return [{ severity: 'medium', reason: t('writes {0}', target) }];
}

function judgeRead(source: string, shapes: Shapes): Finding[] {
  if (/^\/dev\/(tcp|udp)\//.test(source)) return [{ severity: 'high', reason: reasonText('usesNetwork') }];
  if (shapes.isSecret(source)) return [{ severity: 'high', reason: reasonText('readsSecrets') }];
  return shapes.isOutside(source) ? [{ severity: 'medium', reason: reasonText('readsOutside') }] : [];
}

function readsSecret(program: string, args: readonly string[], shapes: Shapes): boolean {
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

function judgeVariables(variables: readonly string[]): Finding[] {
  if (variables.some((name) => steering.test(name))) return [{ severity: 'high', reason: t('changes which programs run') }];
  return variables.length > 0 ? [{ severity: 'medium', reason: t('sets variables') }] : [];
}

/** Returns the text that a command prints, where its words tell. */
function printed(source: SimpleCommand): string[] {
  const [program, ...args] = innermost(source.words);
  if (program === 'cat' && source.fed.length > 0) return source.fed;
  if (program !== 'echo' && program !== 'printf') return [];
  const text = args.filter((arg) => !/^-[neE]+$/.test(arg)).join(' ');
  return [text.replace(/\\n/g, '\n')];
}

function faultOf({ fault }: Script): Finding[] {
  switch (fault) {
    case null:
      return [];
    case 'quote':
      return [{ severity: 'high', reason: t('has a quote that does not close') }];
    case 'length':
      return [{ severity: 'high', reason: t('is too long to be looked through') }];
    case 'syntax':
      return [{ severity: 'high', reason: t('cannot be read as a whole') }];
    case 'parser':
      return [{ severity: 'high', reason: t('could not be looked through') }];
  }
}

function allFindings(command: SimpleCommand, byCommand: ReadonlyMap<SimpleCommand, Finding[]>): Finding[] {
  return [...(byCommand.get(command) ?? []), ...command.inner.flatMap((inner) => allFindings(inner, byCommand))];
}
