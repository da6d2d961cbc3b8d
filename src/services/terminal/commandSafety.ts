import { parseCommand, type CommandPart } from './commandParts';

export type Severity = 'low' | 'medium' | 'high' | 'critical';

export interface CommandAssessment {
  severity: Severity;
  /** Why, in words for a person; most severe first, empty for a harmless command. */
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
  'ls cat head tail pwd echo printf wc grep rg find which type date whoami uname tree stat file diff sort uniq cut true false cd'.split(
    ' ',
  ),
);
const shells = new Set('sh bash zsh dash ksh fish python python3 node perl ruby php pwsh powershell'.split(' '));
const downloaders = new Set('curl wget fetch iwr invoke-webrequest'.split(' '));
/** Programs whose first arguments are another command. */
const wrappers = new Set('env nohup time nice xargs command exec builtin timeout stdbuf setsid'.split(' '));

/** Says how much a command could do, for the person who is asked. It is advice: every command asks whatever this says. */
export function assessCommand(command: string): CommandAssessment {
  const { parts, hasSubstitution, isBroken } = parseCommand(command);
  const findings: Finding[] = [];
  const shown = parts.map((part, index) => {
    const found = assessPart(part, part.isPiped ? parts[index - 1] : undefined);
    findings.push(...found);
    return { text: part.text, severity: highest(found) };
  });
  if (hasSubstitution) findings.push({ severity: 'medium', reason: 'runs another command inside it' });
  if (/[\p{Cf}\u2028\u2029]/u.test(command)) findings.push({ severity: 'high', reason: 'contains invisible characters' });
  if (isBroken) findings.push({ severity: 'high', reason: 'has a quote that does not close' });
  findings.sort((a, b) => order.indexOf(b.severity) - order.indexOf(a.severity));
  return { severity: highest(findings), reasons: [...new Set(findings.map((finding) => finding.reason))], parts: shown };
}

function highest(findings: readonly Finding[]): Severity {
  return findings.reduce<Severity>((top, { severity }) => (order.indexOf(severity) > order.indexOf(top) ? severity : top), 'low');
}

function assessPart(part: CommandPart, source: CommandPart | undefined): Finding[] {
  const findings: Finding[] = [];
  const words = part.words.filter((word, index) => index > 0 || !/^\w+=/.test(word));
  const program = programOf(words[0]);
  if (source && shells.has(program) && downloaders.has(programOf(source.words[0]))) {
    findings.push({ severity: 'critical', reason: 'runs what it downloads' });
  }
  for (const target of part.writesTo) findings.push(...assessTarget(target));
  if (program !== '') findings.push(...assessProgram(program, words.slice(1)));
  return findings;
}

function programOf(word: string | undefined): string {
  return (word ?? '')
    .replace(/^.*[\\/]/, '')
    .toLowerCase()
    .replace(/\.(exe|cmd)$/, '');
}

function assessTarget(target: string): Finding[] {
  if (target === '/dev/null' || target === 'nul') return [];
  if (/^\/dev\//.test(target)) return [{ severity: 'critical', reason: `writes to the device ${target}` }];
  if (/^([/~]|[a-z]:)/i.test(target) || target.split(/[\\/]/).includes('..')) {
    return [{ severity: 'high', reason: `writes outside its folder (${target})` }];
  }
  return [{ severity: 'medium', reason: `writes ${target}` }];
}

function assessProgram(program: string, args: string[]): Finding[] {
  if (readers.has(program)) return assessReader(program, args);
  if (program === 'sudo' || program === 'doas' || program === 'su') {
    return [{ severity: 'critical', reason: 'runs as administrator' }, ...assessWrapped(args)];
  }
  if (wrappers.has(program)) return assessWrapped(args);
  switch (program) {
    case 'rm':
    case 'rmdir':
    case 'del':
    case 'rd':
    case 'shred':
    case 'unlink':
      return [assessRemoval(args)];
    case 'git':
      return [assessGit(args)];
    case 'dd':
    case 'mkfs':
    case 'fdisk':
    case 'format':
    case 'diskpart':
      return [{ severity: 'critical', reason: 'can overwrite a whole disk' }];
    case 'shutdown':
    case 'reboot':
    case 'halt':
    case 'poweroff':
      return [{ severity: 'critical', reason: 'turns the machine off' }];
    case 'chmod':
    case 'chown':
    case 'chgrp':
    case 'icacls':
      return [{ severity: 'high', reason: 'changes who may use files' }];
    case 'kill':
    case 'killall':
    case 'pkill':
    case 'taskkill':
      return [{ severity: 'high', reason: 'ends other programs' }];
    case 'eval':
    case 'source':
    case '.':
      return [{ severity: 'high', reason: 'runs text as commands' }];
    case 'mv':
    case 'cp':
    case 'ln':
    case 'rsync':
      return [{ severity: 'medium', reason: 'changes files' }];
    default:
      return [assessOther(program, args)];
  }
}

function assessWrapped(args: string[]): Finding[] {
  const rest = args.slice(args.findIndex((arg) => !arg.startsWith('-') && !/^\w+=/.test(arg) && !/^\d+\w?$/.test(arg)));
  const program = programOf(rest[0]);
  return program === '' ? [] : assessProgram(program, rest.slice(1));
}

function assessReader(program: string, args: string[]): Finding[] {
  if (program !== 'find') return [];
  if (args.includes('-delete')) return [{ severity: 'high', reason: 'deletes what it finds' }];
  return args.some((arg) => /^-(exec|ok)(dir)?$/.test(arg))
    ? [{ severity: 'high', reason: 'runs a command on what it finds' }]
    : [];
}

function assessRemoval(args: string[]): Finding {
  const isRecursive = args.some((arg) => /^(-[a-z]*r[a-z]*|--recursive|\/s)$/i.test(arg));
  const isBroad = args.some(
    (arg) => /^([/~]\*?|\/\*|\.\.?\/?|\*|\$HOME|[a-z]:\\?)$/i.test(arg) || arg.startsWith('/') || arg.includes('..'),
  );
  if (isRecursive && isBroad) return { severity: 'critical', reason: 'deletes folders beyond single named ones' };
  return { severity: 'high', reason: isRecursive ? 'deletes folders with all that is in them' : 'deletes files' };
}

function assessGit(args: string[]): Finding {
  const command = args.find((arg, index) => !arg.startsWith('-') && args[index - 1] !== '-C' && args[index - 1] !== '-c') ?? '';
  const isForced = args.some((arg) => /^(-f|--force.*|--hard|\+.*)$/.test(arg));
  if (command === 'push')
    return { severity: isForced ? 'critical' : 'high', reason: isForced ? 'overwrites published history' : 'publishes commits' };
  if (['reset', 'clean', 'checkout', 'restore', 'rebase', 'stash', 'filter-branch'].includes(command)) {
    return { severity: 'high', reason: 'can discard changes that are not committed' };
  }
  if (['status', 'log', 'diff', 'show', 'blame', 'ls-files', 'rev-parse'].includes(command))
    return { severity: 'low', reason: 'reads the repository' };
  return { severity: 'medium', reason: 'changes the repository' };
}

function assessOther(program: string, args: string[]): Finding {
  if (shells.has(program) && args.some((arg) => /^(-c|-e|-command|--eval)$/i.test(arg))) {
    return { severity: 'high', reason: 'runs text as commands' };
  }
  if (downloaders.has(program) || ['ssh', 'scp', 'nc', 'ncat', 'ftp', 'ping', 'nslookup', 'dig'].includes(program)) {
    return { severity: 'high', reason: 'uses the network' };
  }
  const script = args.find((arg) => !arg.startsWith('-'));
  if (['npm', 'pnpm', 'yarn', 'pip', 'pip3', 'cargo', 'gem', 'go', 'apt', 'apt-get', 'brew'].includes(program)) {
    if (/^(i|ci|install|add|get|update|upgrade|remove|uninstall|publish)$/.test(script ?? '')) {
      return {
        severity: script === 'publish' ? 'critical' : 'high',
        reason: script === 'publish' ? 'publishes a package' : 'changes what is installed',
      };
    }
    if (/^(t|test)/.test(script ?? '') || args.some((arg) => /^test/.test(arg)))
      return { severity: 'medium', reason: 'runs tests' };
  }
  return { severity: 'medium', reason: `runs ${program}` };
}
