import { t } from '../../utils/l10n';
import { parseCommand, type CommandPart } from './commandParts';
import { isWrapper, unprefixed, unwrapped, variablesIn } from './commandPrefixes';

export type Severity = 'low' | 'medium' | 'high' | 'critical';

export interface CommandAssessment {
  severity: Severity;
  /** Why, in words for a person in their language; most severe first, empty for a harmless command. */
  reasons: string[];
  /** The command's parts in order, to be shown each in its own severity. */
  parts: { text: string; severity: Severity }[];
}

interface Finding {
  severity: Severity;
  reason: string;
}

const order: Severity[] = ['low', 'medium', 'high', 'critical'];

const readers = new Set(
  'ls cat head tail pwd echo printf wc grep rg find which type date whoami uname tree stat file diff sort uniq cut true false cd test [ [['.split(
    ' ',
  ),
);
const shells = new Set('sh bash zsh dash ksh fish python python3 node perl ruby php pwsh powershell'.split(' '));
const downloaders = new Set('curl wget fetch iwr invoke-webrequest'.split(' '));
/** Variables by which a program is made to run, or to load, another one. */
const steering =
  /^(PATH|IFS|ENV|BASH_ENV|PROMPT_COMMAND|SHELL|(\w+_)?(PAGER|EDITOR|VISUAL|BROWSER|ASKPASS)|GIT_\w+|LD_\w+|DYLD_\w+|NODE_\w*OPTIONS|NODE_PATH|PYTHON\w+|PERL5\w+|RUBY\w+|LESSOPEN|npm_config_\w+)$/;
/** Options of git itself that have a value. */
const gitValued = /^(-[cC]|--(git-dir|work-tree|namespace|config-env|super-prefix))$/;
const runsAnother = (): Finding => ({ severity: 'high', reason: t('runs another program') });
/** Files that hold keys and passwords, wherever they are. */
const secrets =
  /(^|[\\/<@=])(\.ssh|\.aws|\.gnupg|\.netrc|\.npmrc|\.pgpass|\.git-credentials|\.kube|\.docker|id_(rsa|dsa|ecdsa|ed25519)|shadow)($|[\\/])|\.(pem|key)$/i;
/** What leaves no trace on a screen, or turns around what is there; but an emoji may say that it is one. */
const invisible = /[\p{Cf}\u2028\u2029]|(?!(?<=\p{Extended_Pictographic})\ufe0f)\p{Default_Ignorable_Code_Point}/u;

/** Says how much a command could do, for the person who is asked. It is advice: every command asks whatever this says. */
export function assessCommand(command: string): CommandAssessment {
  const { parts, hasSubstitution, isBroken } = parseCommand(command);
  const findings: Finding[] = [];
  const shown = parts.map((part, index) => {
    const found = assessPart(part, sourcesOf(parts, index));
    findings.push(...found);
    return { text: part.text, severity: highest(found) };
  });
  if (hasSubstitution) findings.push({ severity: 'medium', reason: t('runs another command inside it') });
  if (invisible.test(command)) findings.push({ severity: 'high', reason: t('contains invisible characters') });
  if (isBroken) findings.push({ severity: 'high', reason: t('has a quote that does not close') });
  findings.sort((a, b) => order.indexOf(b.severity) - order.indexOf(a.severity));
  return { severity: highest(findings), reasons: [...new Set(findings.map((finding) => finding.reason))], parts: shown };
}

function highest(findings: readonly Finding[]): Severity {
  return findings.reduce<Severity>((top, { severity }) => (order.indexOf(severity) > order.indexOf(top) ? severity : top), 'low');
}

/** The parts whose output comes to the part at `index`, from near to far. */
function sourcesOf(parts: readonly CommandPart[], index: number): CommandPart[] {
  const sources: CommandPart[] = [];
  for (let at = index; parts[at]?.isPiped; at -= 1) {
    const source = parts[at - 1];
    if (source) sources.push(source);
  }
  return sources;
}

function assessPart(part: CommandPart, sources: readonly CommandPart[]): Finding[] {
  const { words, variables } = unprefixed(part.words);
  const findings = [...part.writesTo.flatMap(assessTarget), ...assessVariables(variables)];
  if (part.words.some((word) => secrets.test(word))) findings.push({ severity: 'high', reason: t('reads keys or passwords') });
  const [program, ...args] = innermost(words);
  if (sources.length > 0 && shells.has(programOf(program))) {
    if (sources.some((source) => downloaders.has(programOf(innermost(unprefixed(source.words).words)[0])))) {
      findings.push({ severity: 'critical', reason: t('runs what it downloads') });
    }
    if (args.every((arg) => arg.startsWith('-'))) findings.push({ severity: 'high', reason: t('runs text as commands') });
  }
  return [...findings, ...assessWords(words)];
}

function assessWords(words: readonly string[]): Finding[] {
  const [first, ...args] = words;
  if (first === undefined) return [];
  return first.startsWith('$')
    ? [{ severity: 'high', reason: t('runs text as commands') }]
    : assessProgram(programOf(first), args);
}

/** The command that is left when everything that only runs another one is taken away. */
function innermost(words: readonly string[]): readonly string[] {
  let rest = words;
  while (isWrapper(programOf(rest[0]))) rest = unwrapped(programOf(rest[0]), rest.slice(1)).words;
  return rest;
}

function assessVariables(variables: readonly string[]): Finding[] {
  if (variables.some((name) => steering.test(name))) return [{ severity: 'high', reason: t('changes which programs run') }];
  return variables.length > 0 ? [{ severity: 'medium', reason: t('sets variables') }] : [];
}

function programOf(word: string | undefined): string {
  return (word ?? '')
    .replace(/^.*[\\/]/, '')
    .toLowerCase()
    .replace(/\.(exe|cmd)$/, '');
}

function assessTarget(target: string): Finding[] {
  if (target === '/dev/null' || target === 'nul') return [];
  if (/^\/dev\//.test(target)) return [{ severity: 'critical', reason: t('writes to the device {0}', target) }];
  if (/^([/~]|[a-z]:)/i.test(target) || target.split(/[\\/]/).includes('..')) {
    return [{ severity: 'high', reason: t('writes outside its folder ({0})', target) }];
  }
  return [{ severity: 'medium', reason: t('writes {0}', target) }];
}

function assessProgram(program: string, args: string[]): Finding[] {
  if (readers.has(program)) return assessReader(program, args);
  if (isWrapper(program)) return assessWrapped(program, args);
  switch (program) {
    case 'su':
      return [{ severity: 'critical', reason: t('runs as administrator') }];
    case 'rm':
    case 'rmdir':
    case 'del':
    case 'rd':
    case 'shred':
    case 'unlink':
      return [assessRemoval(args)];
    case 'git':
      return assessGit(args);
    case 'dd':
    case 'mkfs':
    case 'fdisk':
    case 'format':
    case 'diskpart':
      return [{ severity: 'critical', reason: t('can overwrite a whole disk') }];
    case 'shutdown':
    case 'reboot':
    case 'halt':
    case 'poweroff':
      return [{ severity: 'critical', reason: t('turns the machine off') }];
    case 'chmod':
    case 'chown':
    case 'chgrp':
    case 'icacls':
      return [{ severity: 'high', reason: t('changes who may use files') }];
    case 'kill':
    case 'killall':
    case 'pkill':
    case 'taskkill':
      return [{ severity: 'high', reason: t('ends other programs') }];
    case 'eval':
    case 'source':
    case '.':
      return [{ severity: 'high', reason: t('runs text as commands') }];
    case 'export':
    case 'declare':
    case 'readonly':
      return assessVariables(variablesIn(args));
    case 'tee':
      return args.filter((arg) => !arg.startsWith('-')).flatMap(assessTarget);
    case 'mv':
    case 'cp':
    case 'ln':
    case 'rsync':
      return [{ severity: 'medium', reason: t('changes files') }];
    default:
      return [assessOther(program, args)];
  }
}

function assessWrapped(program: string, args: string[]): Finding[] {
  if (program === 'command' && /^-[vV]$/.test(args[0] ?? '')) return [];
  const { words, variables, hasUnknownOption } = unwrapped(program, args);
  const findings = [...assessVariables(variables), ...assessWords(words)];
  if (program === 'sudo' || program === 'doas') findings.push({ severity: 'critical', reason: t('runs as administrator') });
  if (hasUnknownOption) findings.push({ severity: 'high', reason: t('has options that may hide what it runs') });
  return findings;
}

function assessReader(program: string, args: string[]): Finding[] {
  switch (program) {
    case 'find':
      return assessFind(args);
    case 'sort':
      return [
        ...writtenBy(args, /^(?:-[a-z]*o|--o\w*=?)(.*)$/i),
        ...(args.some((arg) => arg.startsWith('--comp')) ? [runsAnother()] : []),
      ];
    case 'tree':
      return writtenBy(args, /^-o()$/);
    case 'uniq':
      return args
        .filter((arg) => !arg.startsWith('-'))
        .slice(1, 2)
        .flatMap(assessTarget);
    case 'rg':
      return args.some((arg) => /^--(pre|hostname-bin)(=|$)/.test(arg)) ? [runsAnother()] : [];
    case 'date':
      return args.some((arg) => /^(-s|--set)/.test(arg)) ? [{ severity: 'high', reason: t('sets the clock') }] : [];
    default:
      return [];
  }
}

function assessFind(args: string[]): Finding[] {
  const findings = writtenBy(args, /^-f(?:print0?|printf|ls)()$/);
  if (args.includes('-delete')) findings.push({ severity: 'high', reason: t('deletes what it finds') });
  if (args.some((arg) => /^-(exec|ok)(dir)?$/.test(arg))) {
    findings.push({ severity: 'high', reason: t('runs a command on what it finds') });
  }
  return findings;
}

/** The files that an option names, in the same argument (its first group) or in the next. */
function writtenBy(args: readonly string[], option: RegExp): Finding[] {
  return args.flatMap((arg, index) => {
    const match = option.exec(arg);
    return match ? assessTarget(match[1] || (args[index + 1] ?? '')) : [];
  });
}

function assessRemoval(args: string[]): Finding {
  const isRecursive = args.some((arg) => /^(-[a-z]*r[a-z]*|--recursive|\/s)$/i.test(arg));
  const isBroad = args.some((arg) => /^(\.\/?|\*|\.\/\*|[a-z]:\\?|[/~].*|\$\{?HOME\b.*)$/i.test(arg) || arg.includes('..'));
  if (isRecursive && isBroad) return { severity: 'critical', reason: t('deletes folders beyond single named ones') };
  return { severity: 'high', reason: isRecursive ? t('deletes folders with all that is in them') : t('deletes files') };
}

function assessGit(args: string[]): Finding[] {
  const at = args.findIndex((arg, index) => !arg.startsWith('-') && !gitValued.test(args[index - 1] ?? ''));
  const findings = [assessGitCommand(args[at] ?? '', args), ...writtenBy(args, /^--output(?:=(.*))?$/)];
  const own = at < 0 ? args : args.slice(0, at);
  if (own.some((arg) => /^(-c|--config-env|--exec-path=)/.test(arg))) {
    findings.push({ severity: 'high', reason: t('runs with other settings') });
  }
  if (own.some((arg) => /^--(git-dir|work-tree)/.test(arg))) {
    findings.push({ severity: 'medium', reason: t('works on another repository') });
  }
  if (args.includes('--ext-diff')) findings.push(runsAnother());
  return findings;
}

function assessGitCommand(command: string, args: string[]): Finding {
  const isForced = args.some((arg) => /^(-f|--force.*|--hard|\+.*)$/.test(arg));
  if (command === 'push')
    return {
      severity: isForced ? 'critical' : 'high',
      reason: isForced ? t('overwrites published history') : t('publishes commits'),
    };
  if (['reset', 'clean', 'checkout', 'restore', 'rebase', 'stash', 'filter-branch'].includes(command)) {
    return { severity: 'high', reason: t('can discard changes that are not committed') };
  }
  if (['status', 'log', 'diff', 'show', 'blame', 'ls-files', 'rev-parse'].includes(command))
    return { severity: 'low', reason: t('reads the repository') };
  return { severity: 'medium', reason: t('changes the repository') };
}

function assessOther(program: string, args: string[]): Finding {
  if (shells.has(program) && args.some((arg) => /^(-[a-z]*[ce]|-[pr]|-command|--eval|--print)$/i.test(arg))) {
    return { severity: 'high', reason: t('runs text as commands') };
  }
  if (downloaders.has(program) || ['ssh', 'scp', 'nc', 'ncat', 'ftp', 'ping', 'nslookup', 'dig'].includes(program)) {
    return { severity: 'high', reason: t('uses the network') };
  }
  const script = args.find((arg) => !arg.startsWith('-'));
  if (['npm', 'pnpm', 'yarn', 'pip', 'pip3', 'cargo', 'gem', 'go', 'apt', 'apt-get', 'brew'].includes(program)) {
    if (/^(i|ci|install|add|get|update|upgrade|remove|uninstall|publish)$/.test(script ?? '')) {
      return {
        severity: script === 'publish' ? 'critical' : 'high',
        reason: script === 'publish' ? t('publishes a package') : t('changes what is installed'),
      };
    }
    if (/^(t|test)/.test(script ?? '') || args.some((arg) => /^test/.test(arg)))
      return { severity: 'medium', reason: t('runs tests') };
  }
  return { severity: 'medium', reason: t('runs {0}', program) };
}
