import type { ProgramRule } from './readOnlyRules';

const number = /^\d{1,6}$/;
const words = (text: string): string[] => text.split(' ');
/** Text that a program takes as a pattern or a separator, and never as the name of a file. */
const text = /^[\p{L}\p{N}\p{M} _./,:=+@*?()[\]{}|^<>#~;&-]+$/u;
const glob = /^[\p{L}\p{N} _.,*?|/-]+$/u;
const list = /^[\d,-]{1,40}$/;
/** Keys that `sort` sorts by. */
const sortKey = /^\d{1,3}(\.\d{1,3})?[bdfghinMrRV]*(,\d{1,3}(\.\d{1,3})?[bdfghinMrRV]*)?$/;
const anyText = /^[^-]/u;

const digest: ProgramRule = { letters: 'bt', operands: 'files', count: 1 };
const few = { '-n': number, '-c': number, '--lines': number, '--bytes': number };

/**
 * Rules of what each program may be asked for. Options are listed whole, so that one which writes (`sort -o`), runs
 * something
 * (`--compress-program`, `rg --pre`), follows (`tail -f`) or reads names from a file (`--files0-from`) is unknown.
 * Sources: POSIX.1-2024, and the manuals of GNU, BSD and macOS, whose options are here only if they mean the same.
 */
export const readOnlyPrograms: Readonly<Record<string, ProgramRule>> = {
  pwd: { operands: 'none' },
  whoami: { operands: 'none' },
  groups: { operands: 'none' },
  arch: { operands: 'none' },
  nproc: { operands: 'none' },
  tty: { operands: 'none' },
  date: { letters: 'uR', operands: 'text', first: { pattern: /^\+(%[A-Za-z]|[:/_.T-])+$/ }, most: 1, isWithoutDashes: true },
  uname: { letters: 'amnrsvpio', operands: 'none' },
  uptime: { letters: 'ps', operands: 'none' },
  hostname: { letters: 's', operands: 'none' },
  id: { letters: 'ugnG', operands: 'none' },
  free: { letters: 'hmgbk', operands: 'none' },
  lscpu: { operands: 'none' },
  printenv: { operands: 'text', first: { pattern: /^(PATH|HOME|SHELL|USER|LANG|PWD|TERM|EDITOR|LC_ALL)$/ }, count: 1, most: 1 },
  which: { operands: 'text', count: 1 },
  echo: { operands: 'text', isWithoutDashes: true },
  basename: { operands: 'text', count: 1, most: 2 },
  dirname: { operands: 'text', count: 1 },
  ls: {
    letters: '1AaBdFghiklnopqRrSstuUX',
    flags: words('--all --almost-all --human-readable --reverse --recursive --size --color=never'),
    operands: 'paths',
  },
  du: { letters: 'achkms', valued: { '-d': number, '--max-depth': number }, operands: 'paths' },
  df: { letters: 'hHikP', operands: 'paths' },
  tree: {
    letters: 'adfhpstFC',
    flags: words('--dirsfirst --noreport --gitignore --prune'),
    valued: { '-L': number, '-I': glob, '-P': glob },
    operands: 'paths',
  },
  stat: { operands: 'paths', count: 1 },
  realpath: { operands: 'paths', count: 1 },
  readlink: { letters: 'f', operands: 'paths', count: 1 },
  file: { letters: 'biI', flags: words('--brief --mime-type --mime'), operands: 'paths', count: 1 },
  cat: { letters: 'AbEensTtv', operands: 'files', count: 1 },
  tac: { operands: 'files', count: 1 },
  rev: { operands: 'files', count: 1, isWithoutDashes: true },
  nl: { valued: { '-b': /^[atn]$/, '-w': number }, operands: 'files', count: 1, most: 1 },
  head: { letters: 'qv', numbered: '-n', valued: few, operands: 'files', count: 1 },
  tail: {
    letters: 'qv',
    numbered: '-n',
    valued: { ...few, '-n': /^\+?\d{1,6}$/, '-c': /^\+?\d{1,6}$/ },
    operands: 'files',
    count: 1,
  },
  wc: { letters: 'clmwL', flags: words('--lines --words --bytes --chars'), operands: 'files', count: 1 },
  sort: {
    letters: 'bcdfghinMruVs',
    flags: words('--reverse --numeric-sort --unique --human-numeric-sort --version-sort --ignore-case'),
    valued: { '-k': sortKey, '--key': sortKey, '-t': /^.$/u },
    operands: 'files',
    count: 1,
  },
  // What comes second is written.
  uniq: { letters: 'cdui', flags: words('--count --repeated --unique'), operands: 'files', count: 1, most: 1 },
  cut: {
    letters: 's',
    valued: { '-d': /^.$/u, '--delimiter': /^.$/u, '-f': list, '--fields': list, '-c': list, '-b': list },
    operands: 'files',
    count: 1,
  },
  paste: { letters: 's', valued: { '-d': text }, operands: 'files', count: 1 },
  column: { letters: 't', valued: { '-s': /^.$/u }, operands: 'files', count: 1 },
  comm: { letters: '123', operands: 'files', count: 2, most: 2 },
  cmp: { letters: 'ls', operands: 'files', count: 2, most: 2 },
  diff: {
    letters: 'uqswbBiy',
    flags: words('--brief --unified --side-by-side --ignore-case --ignore-all-space --report-identical-files --color=never'),
    valued: { '-U': number, '-W': number },
    operands: 'files',
    count: 2,
    most: 2,
  },
  cksum: { operands: 'files', count: 1 },
  md5sum: digest,
  sha1sum: digest,
  sha256sum: digest,
  sha512sum: digest,
  md5: { letters: 'qr', operands: 'files', count: 1, isWithoutDashes: true },
  shasum: { valued: { '-a': /^(1|224|256|384|512)$/ }, operands: 'files', count: 1 },
  hexdump: { letters: 'C', valued: { '-n': number, '-s': number }, operands: 'files', count: 1 },
  od: { letters: 'cx', valued: { '-N': number, '-A': /^[dox]$/ }, operands: 'files', count: 1 },
  sed: {
    letters: 'n',
    needs: ['-n'],
    operands: 'files',
    first: { pattern: /^\d{1,6}(,\d{1,6})?p$/, option: '-e' },
    count: 2,
  },
  jq: { letters: 'rcS', operands: 'files', first: { pattern: /^\.[\w.[\]]*$/ }, count: 2, isWithoutDashes: true },
  grep: {
    letters: 'chiHlnosvwxEF',
    flags: words('--count --ignore-case --line-number --word-regexp --files-with-matches --fixed-strings --color=never'),
    valued: { '-A': number, '-B': number, '-C': number, '-m': number },
    operands: 'files',
    first: { pattern: anyText, option: '-e' },
    count: 2,
  },
  // In a folder it would search files that may hold secrets.
  rg: {
    letters: 'cFHilnNosSvwxU',
    flags: words(
      '--count --ignore-case --line-number --no-heading --fixed-strings --word-regexp --files-with-matches --smart-case',
    ),
    valued: { '-A': number, '-B': number, '-C': number, '-m': number, '-M': number },
    operands: 'files',
    first: { pattern: anyText, option: '-e' },
    count: 2,
    adds: ['--no-config', '--color=never'],
  },
};

/** `rg --files` prints names only. */
export const ripgrepFiles: ProgramRule = {
  flags: ['--files', '--hidden'],
  valued: { '-g': glob, '--glob': glob, '-t': /^[a-z]{1,12}$/, '--type': /^[a-z]{1,12}$/ },
  needs: ['--files'],
  operands: 'paths',
  adds: ['--no-config', '--color=never'],
};

const days = /^[+-]?\d{1,6}$/;

/** Its expression comes last: a path behind it would be a word of it. */
export const findExpression: ProgramRule = {
  flags: words('-print -not -o -a -empty'),
  valued: {
    ...{ '-name': text, '-iname': text, '-path': text, '-ipath': text, '-type': /^[dfl]$/ },
    ...{ '-maxdepth': number, '-mindepth': number, '-size': /^[+-]?\d{1,6}[ckMG]?$/, '-mtime': days, '-mmin': days },
  },
  operands: 'none',
};
