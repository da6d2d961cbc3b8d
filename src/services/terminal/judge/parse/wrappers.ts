/** A command behind what may stand before it: keywords, variables, programs that run other programs. */
export interface Unwrapped {
  /** The program and its arguments; empty where nothing is left that runs. */
  words: string[];
  /** The names of the variables it sets. */
  variables: string[];
}

export interface Wrapped extends Unwrapped {
  /** An option that is not known here may take a value, or be a command itself. */
  hasUnknownOption: boolean;
}

interface Wrapper {
  /** Letters of the options without a value. */
  flags?: string;
  /** Letters of the options with a value. */
  valued?: string;
  /** Arguments before the command. */
  operands?: number;
}

const wrappers: ReadonlyMap<string, Wrapper> = new Map([
  ...['busybox', 'builtin', 'firejail', 'nohup', 'toybox'].map((program): [string, Wrapper] => [program, {}]),
  ['command', { flags: 'p' }],
  ['chroot', { operands: 1 }],
  ['chrt', { flags: 'abdfiomrRv', valued: 'DPT', operands: 1 }],
  ['doas', { flags: 'Lns', valued: 'Cu' }],
  ['env', { flags: '0iv', valued: 'Cu' }],
  ['exec', { flags: 'cl', valued: 'a' }],
  ['ionice', { flags: 't', valued: 'cn' }],
  ['ltrace', { flags: 'fS', valued: 'e' }],
  ['nice', { flags: '0123456789', valued: 'n' }],
  ['setsid', { flags: 'cfw' }],
  ['stdbuf', { valued: 'eio' }],
  ['strace', { flags: 'cfrtTvy', valued: 'es' }],
  ['sudo', { flags: 'AbEHiKklnPSsv', valued: 'CDghpRrTtUu' }],
  ['taskset', { flags: 'ac', operands: 1 }],
  ['time', { flags: 'pv', valued: 'f' }],
  ['timeout', { flags: 'fpv', valued: 'ks', operands: 1 }],
  ['unshare', { flags: 'CimnprTUu' }],
  ['xargs', { flags: '0oprtx', valued: 'adEILnPs' }],
]);

/** Keywords with a command right behind them. */
const openers = new Set('if then elif else while until do ! { coproc'.split(' '));
/** Keywords that run nothing themselves; what they lead to are parts of their own. */
const headers = new Set('for select case fi done esac }'.split(' '));
const assignment = /^(\w+)(\[[^\]]*\])?\+?=/;

export function isWrapper(program: string): boolean {
  return wrappers.has(program);
}

/** Returns the command that a shell finds behind keywords and variables. */
export function unprefixed(words: readonly string[]): Unwrapped {
  let rest = [...words];
  while (openers.has(rest[0] ?? '') || rest[0] === 'function') rest = rest.slice(rest[0] === 'function' ? 2 : 1);
  return headers.has(rest[0] ?? '') ? { words: [], variables: [] } : unassigned(rest);
}

/** Returns the command that a wrapper runs, told from the wrapper's arguments. */
export function unwrapped(program: string, args: readonly string[]): Wrapped {
  const { flags = '', valued = '', operands = 0 } = wrappers.get(program) ?? {};
  let hasUnknownOption = false;
  let index = 0;
  for (let arg = args[0]; arg?.startsWith('-'); arg = args[index]) {
    index += 1;
    if (arg === '--') break;
    const letters = [...arg.slice(1)];
    const decisive = letters.findIndex((letter) => !flags.includes(letter));
    const letter = letters[decisive];
    if (letter === undefined) continue;
    if (!valued.includes(letter)) hasUnknownOption = true;
    else if (decisive === letters.length - 1) index += 1;
  }
  return { ...unassigned(args.slice(index + operands)), hasUnknownOption };
}

/** Returns the variables that words set, as `export` takes them. */
export function variablesIn(words: readonly string[]): string[] {
  return words.flatMap((word) => assignment.exec(word)?.[1] ?? []);
}

function unassigned(words: readonly string[]): Unwrapped {
  const first = words.findIndex((word) => !assignment.test(word));
  const count = first < 0 ? words.length : first;
  return { words: words.slice(count), variables: variablesIn(words.slice(0, count)) };
}
