/** Command without its prefixes: keywords, variable assignments and wrapper programs. */
export interface Unwrapped {
  /** Program and arguments. Empty if no command remains. */
  words: string[];
  /** Names of the assigned variables. */
  variables: string[];
}

export interface Wrapped extends Unwrapped {
  /** Arguments between the options and the command. */
  operands: string[];
  /** True if there is an unknown option. The following word may be its value or the command. */
  hasUnknownOption: boolean;
}

interface Wrapper {
  /** Letters of options without a value. */
  flags?: string;
  /** Letters of options with a value. */
  valued?: string;
  /** Number of arguments before the command. */
  operands?: number;
  /** Matches whole options without a value. */
  names?: RegExp;
  /** Matches whole options with a value. */
  valuedNames?: RegExp;
}

const wrappers: ReadonlyMap<string, Wrapper> = new Map([
  // `-`, `nocorrect` and `noglob` belong to zsh.
  ...['-', 'busybox', 'builtin', 'firejail', 'nocorrect', 'noglob', 'nohup', 'toybox'].map((program): [string, Wrapper] => [
    program,
    {},
  ]),
  // On macOS, `arch`, `caffeinate`, `dtruss`, `sandbox-exec` and `script` take a command as arguments.
  ['arch', { flags: 'hc', valued: 'de', names: /^-(x86_64h?|i386|arm64e?|ppc\d*|32|64)$/, valuedNames: /^-arch$/ }],
  ['caffeinate', { flags: 'dimsu', valued: 'tw' }],
  ['command', { flags: 'p' }],
  ['chroot', { operands: 1 }],
  ['chrt', { flags: 'abdfiomrRv', valued: 'DPT', operands: 1 }],
  ['doas', { flags: 'Lns', valued: 'Cu' }],
  ['dtruss', { flags: 'acdefFlLos', valued: 'bnptW' }],
  ['env', { flags: '0iv', valued: 'Cu' }],
  ['exec', { flags: 'cl', valued: 'a' }],
  ['ionice', { flags: 't', valued: 'cn' }],
  ['ltrace', { flags: 'fS', valued: 'e' }],
  ['nice', { flags: '0123456789', valued: 'n' }],
  ['repeat', { operands: 1 }],
  ['sandbox-exec', { valued: 'Dfnp' }],
  ['script', { flags: 'adefkpqr', valued: 'BcEImoOtT', operands: 1 }],
  ['setsid', { flags: 'cfw' }],
  ['stdbuf', { valued: 'eio' }],
  ['strace', { flags: 'cfrtTvy', valued: 'es' }],
  ['sudo', { flags: 'AbEHiKklnPSsv', valued: 'CDghpRrTtUu' }],
  ['taskset', { flags: 'ac', operands: 1 }],
  ['time', { flags: 'pv', valued: 'f' }],
  ['timeout', { flags: 'fpv', valued: 'ks', operands: 1 }],
  ['unshare', { flags: 'CimnprTUu' }],
  ['xargs', { flags: '0oprtx', valued: 'adEIJLnPRsS' }],
]);

/** Keywords that come directly before a command. */
const openers = new Set('if then elif else while until do ! { coproc'.split(' '));
/** Keywords that run nothing themselves. Their commands are separate parts. */
const headers = new Set('for select case fi done esac }'.split(' '));
const assignment = /^(\w+)(\[[^\]]*\])?\+?=/;

export function isWrapper(program: string): boolean {
  return wrappers.has(program);
}

/** Returns the command without leading keywords and variable assignments. */
export function unprefixed(words: readonly string[]): Unwrapped {
  let rest = [...words];
  while (openers.has(rest[0] ?? '') || rest[0] === 'function') rest = rest.slice(rest[0] === 'function' ? 2 : 1);
  return headers.has(rest[0] ?? '') ? { words: [], variables: [] } : unassigned(rest);
}

/** Returns the command that a wrapper runs, without the wrapper's own arguments. */
export function unwrapped(program: string, args: readonly string[]): Wrapped {
  const { flags = '', valued = '', operands = 0, names, valuedNames } = wrappers.get(program) ?? {};
  let hasUnknownOption = false;
  let index = 0;
  for (let arg = args[0]; arg?.startsWith('-'); arg = args[index]) {
    index += 1;
    if (arg === '--') break;
    if (valuedNames?.test(arg)) index += 1;
    if (names?.test(arg) || valuedNames?.test(arg)) continue;
    const letters = [...arg.slice(1)];
    const decisive = letters.findIndex((letter) => !flags.includes(letter));
    const letter = letters[decisive];
    if (letter === undefined) continue;
    if (!valued.includes(letter)) hasUnknownOption = true;
    else if (decisive === letters.length - 1) index += 1;
  }
  return { ...unassigned(args.slice(index + operands)), operands: args.slice(index, index + operands), hasUnknownOption };
}

/** Returns the names of the variables that the words assign, as in the arguments of `export`. */
export function variablesIn(words: readonly string[]): string[] {
  return words.flatMap((word) => assignment.exec(word)?.[1] ?? []);
}

function unassigned(words: readonly string[]): Unwrapped {
  const first = words.findIndex((word) => !assignment.test(word));
  const count = first < 0 ? words.length : first;
  return { words: words.slice(count), variables: variablesIn(words.slice(0, count)) };
}
