import { startedCommands } from './startedCommands';
import { isWrapper, unprefixed, unwrapped } from './wrappers';
import type { Dialect, SimpleCommand } from './script';

/** Script text that a program runs, with its shell dialect. */
export interface InnerText {
  text: string;
  dialect: Dialect;
}

export const shells = new Set('sh bash zsh dash ksh ash fish rbash csh tcsh busybox'.split(' '));
export const powershells = new Set(['pwsh', 'powershell']);
export const interpreters = new Set('python node perl ruby php lua deno bun tclsh r rscript osascript julia ghci irb'.split(' '));
/** Programs whose `exec` runs a command in a container. */
export const containers = new Set('docker podman nerdctl docker-compose podman-compose kubectl oc'.split(' '));
const downloaders = new Set(
  'curl wget fetch iwr invoke-webrequest irm invoke-restmethod aria2c http https lynx axel start-bitstransfer ftp certutil bitsadmin'.split(
    ' ',
  ),
);

/** Returns whether a program runs code from its arguments, its input or files. */
export function runsCode(program: string): boolean {
  return shells.has(program) || powershells.has(program) || interpreters.has(program);
}

export function isFinder(program: string): boolean {
  return /^(find|fd|fdfind)$/.test(program);
}

export function changesFolder(program: string): boolean {
  return /^(cd|chdir|pushd|set-location|sl|push-location)$/.test(program);
}

/** Matches no option, for programs without options that take a value. */
const never = /^(?!)/;
/** GNU tools with the `g` prefix that Homebrew adds. */
const prefixed =
  /^g(?=(rm|rmdir|unlink|mv|cp|ln|dd|shred|truncate|chmod|chown|chgrp|chroot|sed|find|xargs|tar|env|nice|nohup|timeout|stdbuf|kill|install|mkdir|touch|tee|date|ls|cat|stat|sort|head|tail|cut|wc|echo|printf|readlink|realpath)$)/;

/** Returns the name of a program without folder, extension and version, and without the leading `=` of zsh path expansion. */
export function programName(word: string | undefined): string {
  const name = (word ?? '')
    .replace(/^=(?=\w)|^.*[\\/](?=.)/, '')
    .toLowerCase()
    .replace(/\.(exe|cmd|bat)$/, '')
    .replace(prefixed, '');
  return name.replace(/^(python|pip|ruby|perl|php|lua|pypy)[\d.]+$/, '$1');
}

/** Returns the command that remains after removing all wrappers. */
export function innermost(words: readonly string[]): readonly string[] {
  let rest: readonly string[] = unprefixed(words).words;
  // The judge rejects a longer chain because it is nested too deeply.
  for (let count = 0; count < 20 && isWrapper(programName(rest[0])); count += 1)
    rest = unwrapped(programName(rest[0]), rest.slice(1)).words;
  return rest;
}

/** Returns whether a command or one of its substitutions downloads something. */
export function isDownload(command: SimpleCommand): boolean {
  return downloaders.has(programName(innermost(command.words)[0])) || command.inner.some(isDownload);
}

/**
 * Returns the commands whose output a command reads, nearest first. A
 * long list is limited to the nearest 50 commands and up to 50 downloads.
 */
export function withSources(made: readonly SimpleCommand[], argsBefore: readonly SimpleCommand[]): SimpleCommand[] {
  const all = [...[...made].reverse(), ...argsBefore];
  return all.length <= 50 ? all : [...all.slice(0, 50), ...all.slice(50).filter(isDownload).slice(0, 50)];
}

/** Returns the files that a download may write. */
export function downloadedTo(command: SimpleCommand): string[] {
  if (!isDownload(command)) return [];
  const named = command.words.flatMap((word, index) =>
    /^(-[a-zA-Z]*[oO]|--output|--output-document|-OutFile)$/.test(word) ? [command.words[index + 1] ?? ''] : [],
  );
  const addresses = command.words
    .filter((word) => /^\w+:\/\//.test(word))
    .map((word) => word.replace(/[?#].*$/, '').replace(/^.*\//, ''));
  // For these programs, the last argument is the output file.
  if (/^(certutil|bitsadmin)$/.test(programName(innermost(command.words)[0]))) named.push(command.words.at(-1) ?? '');
  return [...named, ...command.writesTo, ...addresses]
    .filter((name) => name !== '' && name !== '-')
    .map((name) => name.replace(/^\.\//, ''));
}

/** Returns the arguments that a program runs as scripts. */
export function innerTexts(program: string, args: readonly string[]): InnerText[] {
  const ofPowershell = powershellTexts(program, args);
  if (ofPowershell) return ofPowershell.map((text) => ({ text, dialect: 'powershell' }));
  return bashTexts(program, args).map((text) => ({ text, dialect: 'bash' }));
}

/** Returns the texts that a program runs as PowerShell or cmd. Returns null for any other program. */
function powershellTexts(program: string, args: readonly string[]): string[] | null {
  if (program === 'cmd') return joined(argsAfter(args, /^\/[ckr]$/i));
  if (program === 'iex' || program === 'invoke-expression') return [args.filter((arg) => !/^-Command$/i.test(arg)).join(' ')];
  if (!powershells.has(program)) return null;
  const encoded = argsAfter(args, /^[-/]e(nc|ncodedcommand|c)?$/i);
  if (encoded) return [Buffer.from(encoded[0] ?? '', 'base64').toString('utf16le')];
  const isValue = (index: number): boolean => /^-(ExecutionPolicy|File|Version)$/i.test(args[index - 1] ?? '');
  return joined(argsAfter(args, /^[-/]c(o|ommand)?$/i) ?? args.filter((arg, index) => !arg.startsWith('-') && !isValue(index)));
}

function bashTexts(program: string, args: readonly string[]): string[] {
  if (shells.has(program) || /^(su|script|runuser|flock|emulate|sg)$/.test(program)) {
    const text = argsAfter(args, /^(-[a-zA-Z]*c|--command)$/)?.find((arg) => !arg.startsWith('-'));
    const value = args.find((arg) => arg.startsWith('--command='))?.slice('--command='.length);
    return [text, value].filter((one) => one !== undefined);
  }
  switch (program) {
    case 'eval':
      return [args.join(' ')];
    case 'sched':
    case 'zpty':
      return joined(fromOperand(args, never).slice(1));
    case 'trap':
      return args.slice(0, 1);
    case 'alias':
      return args.map((arg) => arg.replace(/^[^=]*=/, ''));
    case 'watch':
    case 'parallel':
    case 'entr':
      return joined(fromOperand(args, /^-[njwP]$/));
    case 'ssh':
      return joined(fromOperand(args, /^-[bcDEeFIiJLlmOopQRSWw]$/).slice(1));
    case 'tmux':
      return joined(tmuxWords(args));
    case 'concurrently':
      return args.map((arg) => arg.replace(/^(npm|yarn|pnpm|bun|node):/, (_, manager) => managerRun(String(manager))));
    case 'npx':
    case 'npm':
      return argsAfter(args, /^(-c|--call)$/)?.slice(0, 1) ?? [];
    case 'awk':
    case 'gawk':
      return args.flatMap((arg) => [...arg.matchAll(/system\s*\(\s*"((?:[^"\\]|\\.)*)"/g)].map((match) => match[1] ?? ''));
    default:
      return [];
  }
}

/**
 * Returns the commands that a program takes as separate words, such
 * as after `-exec` and `xargs`, with the files on which they run.
 */
export function innerWords(program: string, args: readonly string[], sources: readonly SimpleCommand[]): string[][] {
  if (isFinder(program)) {
    const found = program === 'find' ? findStarts(args).map(inFolder) : [];
    const starters = args.flatMap((arg, index) => (/^(-(exec|ok)(dir)?|-x|-X|--exec|--exec-batch)$/.test(arg) ? [index] : []));
    // Each of these commands is already rated high.
    return starters.slice(0, 50).map((index) => {
      const words = before(args.slice(index + 1), /^[;+]$/);
      return words.flatMap((word) => (word !== '{}' ? [word] : found.length > 0 ? found : ['./{}']));
    });
  }
  if (program === 'xargs') {
    const { words } = unwrapped(program, args);
    const given = sources.slice(0, 1).flatMap(pipedWords);
    return words.length === 0 ? [] : [[...words.filter((word) => word !== '{}'), ...given]];
  }
  if (containers.has(program)) return commandInContainer(args);
  if (program === 'git') {
    const { rest } = gitParts(args);
    return rest[0] === 'bisect' && rest[1] === 'run' ? [rest.slice(2)] : [];
  }
  if (program === 'screen') return [fromOperand(args, /^-[cehprsStTx]$/)];
  if (program === 'xcrun') return [fromOperand(args, /^--?(sdk|toolchain|find|f)$/)];
  if (program === 'launchctl' && /^(asuser|bsexec)$/.test(args[0] ?? '')) return [args.slice(2)];
  if (program === 'leaks') return [argsAfter(args, /^--$/) ?? []];
  if (program === 'zargs') return [zargsWords(args)];
  const [first = '', ...rest] = args;
  const isRun =
    (/^(bundle|npm|pnpm|yarn|opam|mise|nix)$/.test(program) && /^(exec?|x)$/.test(first)) ||
    (/^(uv|poetry|pipenv|pdm|hatch|conda|op|doppler|bun|deno)$/.test(program) && first === 'run');
  if (isRun || /^(npx|bunx|pnpx)$/.test(program)) {
    const [called = '', ...given] = fromOperand(isRun ? rest : args, /^(-p|--package|-n|--name|--with)$/);
    return called === '' ? [] : [[withoutRegistry(called), ...given]];
  }
  if (/^(python|py|php|ruby)$/.test(program)) {
    const names = args.map((arg) => arg.replace(/^.*[\\/]/, ''));
    const at = names.findIndex((name) => /^(-m|artisan|console|manage\.py)$/.test(name));
    if (at >= 0) return [[...(names[at] === '-m' ? [] : names.slice(at, at + 1)), ...args.slice(at + 1)]];
  }
  return startedCommands(program, args);
}

/** Removes the registry and the version from a Deno package name: `npm:eslint@9` becomes `eslint`. */
function withoutRegistry(name: string): string {
  const [, found] = /^(?:npm|jsr):\/?((?:@[^/]+\/)?[^/@]+)/.exec(name) ?? [];
  return found ?? name;
}

/** Returns the command of a `tmux` subcommand that opens a session, window or pane. */
function tmuxWords(args: readonly string[]): string[] {
  const [subcommand = '', ...rest] = fromOperand(args, /^-[cfLST]$/);
  return /^(new|neww|splitw|respawn[pw]|(new|split|respawn)-\w+)/.test(subcommand) ? fromOperand(rest, /^-[ceFflnpstxy]$/) : [];
}

/** Returns the start of the command that `concurrently` runs for `npm:NAME` and similar shortcuts. */
function managerRun(manager: string): string {
  return manager === 'node' ? 'node --run ' : `${manager} run `;
}

/** Returns the command of `zargs [OPTION…] -- [FILE…] -- COMMAND`, with its files. */
function zargsWords(args: readonly string[]): string[] {
  const operands = argsAfter(args, /^--$/) ?? fromOperand(args, never);
  return [...(argsAfter(operands, /^--$/) ?? []), ...before(operands, /^--$/)];
}

/** Returns the command that `exec` runs in a container: the words after the name of the container. */
function commandInContainer(args: readonly string[]): string[][] {
  const at = args.indexOf('exec');
  if (at < 0 || at > 3) return [];
  const [, ...words] = fromOperand(
    args.slice(at + 1),
    /^(-[a-z]*[ecfnpuw]|--(env|env-file|user|workdir|detach-keys|namespace|container|context|file|index))$/,
  );
  return words.length === 0 ? [] : [words[0] === '--' ? words.slice(1) : words];
}

/** Returns the names that a command prints, if they are known. */
function pipedWords({ words }: SimpleCommand): string[] {
  const [program, ...args] = words;
  const operands = args.filter((arg) => !arg.startsWith('-'));
  if (program === 'echo' || program === 'printf')
    return operands.flatMap((word) => word.split(/\\0|\\n|\s/)).filter((word) => /^[\w./~*$]+$/.test(word));
  if (program === 'find') return findStarts(args).map(inFolder);
  return program === 'ls' ? operands.map(inFolder) : [];
}

/** Returns the folders in which `find` starts. On BSD, options come before the folders, and `-f` names a folder. */
export function findStarts(args: readonly string[]): string[] {
  const first = args.findIndex((arg) => !/^(-[EHLPXdsxf]+|--)$/.test(arg));
  return first < 0 ? [] : before(args.slice(first), /^(-(?!-?$)|[(!])/).filter((arg) => arg !== '--');
}

export function gitParts(args: readonly string[]): { options: string[]; rest: string[] } {
  const rest = fromOperand(args, /^(-[cC]|--(git-dir|work-tree|namespace|config-env|super-prefix))$/);
  return { options: args.slice(0, args.length - rest.length), rest };
}

function inFolder(folder: string): string {
  return `${folder.replace(/\/$/, '')}/{}`;
}

/** Returns the arguments from the first operand on. The word after a `valued` option is the value of that option. */
function fromOperand(args: readonly string[], valued: RegExp): string[] {
  const at = args.findIndex((arg, index) => !arg.startsWith('-') && !valued.test(args[index - 1] ?? ''));
  return at < 0 ? [] : args.slice(at);
}

/** Returns the arguments before the first match, or all if none matches. */
function before(args: readonly string[], mark: RegExp): string[] {
  const at = args.findIndex((arg) => mark.test(arg));
  return args.slice(0, at < 0 ? args.length : at);
}

/** Returns the arguments after the first match, or undefined if none matches. */
function argsAfter(args: readonly string[], mark: RegExp): string[] | undefined {
  const at = args.findIndex((arg) => mark.test(arg));
  return at < 0 ? undefined : args.slice(at + 1);
}

function joined(words: readonly string[] = []): string[] {
  return words.length === 0 ? [] : [words.join(' ')];
}
