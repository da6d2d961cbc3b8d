/** A program and its arguments, to be run as they are, without a shell. */
export interface PlainCommand {
  program: string;
  args: string[];
  /** What it names in its folder. */
  paths: string[];
}

interface Rule {
  /** Arguments that may stand there by themselves. */
  flags?: RegExp;
  /** Those that have the next argument for a value, and what that may be. */
  valued?: Readonly<Record<string, RegExp>>;
  operands: 'none' | 'paths' | 'pattern and paths' | 'words' | 'revisions';
  /** At the least. */
  count?: number;
  /** At the most. */
  most?: number;
  /** What the command line does not say and what has to be added for it to be harmless. */
  adds?: readonly string[];
}

const maxLength = 500;
/** No shell gives a meaning to any of these, wherever they stand in a word. */
const plainWord = /^[\p{L}\p{N}_./,:=+-]+$/u;
/** Nothing that is invisible, turns text round or would be expanded between quotes. */
const quotedWord = /^[\p{L}\p{N}\p{M} _./,:=+@*?()[\]{}|^<>#~;&-]+$/u;
const number = /^\d{1,6}$/;
const revision = /^[A-Za-z0-9_][\w./-]*(\.\.\.?[A-Za-z0-9_][\w./-]*)?$/;
const commonGit = ['--ignore-submodules=all'];
const diffing = ['--no-ext-diff', '--no-textconv'];

const programs: Readonly<Record<string, Rule>> = {
  pwd: { operands: 'none' },
  whoami: { operands: 'none' },
  date: { operands: 'none' },
  uname: { flags: /^-[amnrsv]+$/, operands: 'none' },
  which: { operands: 'words', count: 1 },
  echo: { operands: 'words' },
  ls: { flags: /^(-[1AaBdFghiklnopqRrSstuUX]+|--(all|almost-all|human-readable|reverse|recursive|size))$/, operands: 'paths' },
  du: { flags: /^-[achkms]+$/, valued: { '-d': number, '--max-depth': number }, operands: 'paths' },
  tree: { flags: /^-[adfhpst]+$/, valued: { '-L': number }, operands: 'paths' },
  stat: { operands: 'paths', count: 1 },
  cat: { flags: /^-[AbEensTtv]+$/, operands: 'paths', count: 1 },
  head: { flags: /^-([qv]|\d{1,6})$/, valued: { '-n': number, '-c': number, '--lines': number }, operands: 'paths', count: 1 },
  tail: {
    flags: /^-([qv]|\d{1,6})$/,
    valued: { '-n': /^\+?\d{1,6}$/, '-c': number, '--lines': number },
    operands: 'paths',
    count: 1,
  },
  wc: { flags: /^-[clmwL]+$/, operands: 'paths', count: 1 },
  grep: {
    flags: /^(-[chiHlnosvwxEF]+|--(count|ignore-case|line-number|word-regexp|files-with-matches))$/,
    valued: { '-A': number, '-B': number, '-C': number, '-m': number },
    operands: 'pattern and paths',
    count: 2,
  },
  find: {
    flags: /^-(print|not|o|a|empty)$/,
    valued: {
      ...{ '-name': quotedWord, '-iname': quotedWord, '-path': quotedWord, '-ipath': quotedWord, '-type': /^[dfl]$/ },
      ...{ '-maxdepth': number, '-mindepth': number, '-size': /^[+-]?\d{1,6}[ckMG]?$/, '-mtime': /^[+-]?\d{1,6}$/ },
    },
    operands: 'paths',
  },
};

const gitCommands: Readonly<Record<string, Rule>> = {
  status: {
    flags: /^(-s|-b|-sb|-uno|-uall|-unormal|--short|--branch|--porcelain(=v[12])?|--show-stash|--ahead-behind)$/,
    operands: 'none',
    adds: commonGit,
  },
  log: {
    flags:
      /^(-\d{1,6}|--(oneline|graph|all|decorate|stat|shortstat|name-only|name-status|merges|no-merges|first-parent|reverse|abbrev-commit)|--(format|pretty)=(oneline|short|medium|full|fuller))$/,
    valued: { '-n': number, '--max-count': number },
    operands: 'revisions',
    adds: diffing,
  },
  diff: {
    flags: /^--(stat|shortstat|numstat|name-only|name-status|cached|staged)$/,
    operands: 'revisions',
    // Two words may be two files, which it compares wherever they are.
    most: 1,
    adds: [...commonGit, ...diffing],
  },
  branch: { flags: /^(-a|-r|-v|-vv|--all|--remotes|--list|--show-current|--verbose)$/, operands: 'none' },
  'rev-parse': { flags: /^--(abbrev-ref|short|show-toplevel|is-inside-work-tree)$/, operands: 'revisions' },
};
/** Without one of these a diff shows what is in files, which may be secrets. */
const namesOnly = /^--(stat|shortstat|numstat|name-only|name-status)$/;

/**
 * What a command line asks for where it is one simple command of the short list of those that only read, written without anything
 * that a shell would do something with; null for everything else. To be run without a shell, by `runProgram`: what was
 * looked at here is then what runs, whatever shell a person has.
 */
export function readOnlyCommand(command: string): PlainCommand | null {
  const words = wordsOf(command);
  if (words === null) return null;
  const [program, ...rest] = words;
  if (program?.isQuoted !== false) return null;
  const args = rest.map(({ text }) => text);
  if (program.text === 'git') return gitCommand(args);
  const rule = Object.hasOwn(programs, program.text) ? programs[program.text] : undefined;
  return rule ? checked(program.text, args, rule) : null;
}

function gitCommand(args: readonly string[]): PlainCommand | null {
  const [name = '', ...rest] = args;
  const rule = Object.hasOwn(gitCommands, name) ? gitCommands[name] : undefined;
  const found = rule ? checked(name, rest, rule) : null;
  if (!rule || !found || (name === 'diff' && !rest.some((arg) => namesOnly.test(arg)))) return null;
  return { program: 'git', args: [name, ...(rule.adds ?? []), ...found.args], paths: [] };
}

function checked(program: string, args: string[], rule: Rule): PlainCommand | null {
  const operands: string[] = [];
  for (let index = 0; index < args.length; index += 1) {
    const arg = args[index] as string;
    if (!arg.startsWith('-')) {
      // Its expression is what comes last: a path behind it would be a word of it.
      if (program === 'find' && args.slice(0, index).some((before) => before.startsWith('-'))) return null;
      operands.push(arg);
      continue;
    }
    const [name = '', joined] = arg.startsWith('--') ? splitOnce(arg) : [arg];
    const value = Object.hasOwn(rule.valued ?? {}, name) ? rule.valued?.[name] : undefined;
    if (value === undefined) {
      if (rule.flags?.test(arg) !== true) return null;
      continue;
    }
    if (joined === undefined) index += 1;
    if (!value.test(joined ?? args[index] ?? '')) return null;
  }
  if (operands.length < (rule.count ?? 0) || operands.length > (rule.most ?? Infinity)) return null;
  switch (rule.operands) {
    case 'none':
      return operands.length === 0 ? { program, args, paths: [] } : null;
    case 'words':
      return operands.length === args.length ? { program, args, paths: [] } : null;
    case 'revisions':
      return operands.every(isRevision) ? { program, args, paths: [] } : null;
    case 'paths':
      return { program, args, paths: operands.length > 0 ? operands : ['.'] };
    case 'pattern and paths':
      return { program, args, paths: operands.slice(1) };
  }
}

/** A name of the repository; what leads out of a folder is a path. */
function isRevision(operand: string): boolean {
  return revision.test(operand) && !operand.split('/').includes('..');
}

interface Word {
  text: string;
  isQuoted: boolean;
}

/** Words with nothing but single blanks or more between them; null for anything that has to be interpreted. */
function wordsOf(command: string): Word[] | null {
  if (command.length > maxLength) return null;
  const words: Word[] = [];
  const rest = command.replace(/^ +| +$/g, '');
  const pattern = /(?:'([^']*)'|"([^"]*)"|([^ '"]+))(?: +|$)/uy;
  while (pattern.lastIndex < rest.length) {
    const found = pattern.exec(rest);
    if (found === null) return null;
    const quoted = found[1] ?? found[2];
    if (quoted === undefined ? !plainWord.test(found[3] ?? '') : !quotedWord.test(quoted)) return null;
    words.push({ text: quoted ?? (found[3] as string), isQuoted: quoted !== undefined });
  }
  const first = words[0]?.text ?? '';
  return /^[a-z]+$/.test(first) ? words : null;
}

function splitOnce(arg: string): [string, string?] {
  const at = arg.indexOf('=');
  return at < 0 ? [arg] : [arg.slice(0, at), arg.slice(at + 1)];
}
