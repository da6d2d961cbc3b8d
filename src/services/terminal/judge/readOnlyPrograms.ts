import type { ProgramRule } from './readOnlyRules';

const anyText = /^[^-]/u;
const alike = (programs: string, rule: ProgramRule) => Object.fromEntries(programs.split(' ').map((program) => [program, rule]));

/**
 * Allowed arguments of each program. All options that are not listed are rejected. These include options that write (`sort -o`),
 * run a program (`--compress-program`, `rg --pre`), follow a file (`tail -f`) or read names from a file (`--files0-from`).
 * Sources: POSIX.1-2024 and the GNU, BSD and macOS manuals. An option is listed only if its meaning is the same in all of them.
 */
export const readOnlyPrograms: Readonly<Record<string, ProgramRule>> = {
  ...alike('pwd whoami groups arch nproc tty lscpu', { operands: 'none' }),
  ...alike('md5sum sha1sum sha256sum sha512sum', { letters: 'bt', operands: 'files', minOperands: 1 }),
  date: {
    letters: 'uR',
    operands: 'text',
    first: { pattern: /^\+(%[A-Za-z]|[:/_.T-])+$/ },
    maxOperands: 1,
    lacksDoubleDash: true,
  },
  uname: { letters: 'amnrsvpio', operands: 'none' },
  uptime: { letters: 'ps', operands: 'none' },
  hostname: { letters: 's', operands: 'none' },
  id: { letters: 'ugnG', operands: 'none' },
  free: { letters: 'hmgbk', operands: 'none' },
  printenv: {
    operands: 'text',
    first: { pattern: /^(PATH|HOME|SHELL|USER|LANG|PWD|TERM|EDITOR|LC_ALL)$/ },
    minOperands: 1,
    maxOperands: 1,
  },
  which: { operands: 'text', minOperands: 1 },
  echo: { operands: 'text', lacksDoubleDash: true },
  basename: { operands: 'text', minOperands: 1, maxOperands: 2 },
  dirname: { operands: 'text', minOperands: 1 },
  ls: {
    letters: '1AaBdFghiklnopqRrSstuUX',
    options: '--all --almost-all --human-readable --reverse --recursive --size --color=never',
    operands: 'paths',
  },
  du: { letters: 'achkms', options: '-d:number --max-depth:number', operands: 'paths' },
  df: { letters: 'hHikP', operands: 'paths' },
  tree: {
    letters: 'adfhpstFC',
    options: '--dirsfirst --noreport --gitignore --prune -L:number -I:glob -P:glob',
    operands: 'paths',
  },
  stat: { operands: 'paths', minOperands: 1 },
  realpath: { operands: 'paths', minOperands: 1 },
  readlink: { letters: 'f', operands: 'paths', minOperands: 1 },
  file: { letters: 'biI', options: '--brief --mime-type --mime', operands: 'paths', minOperands: 1 },
  cat: { letters: 'AbEensTtv', operands: 'files', minOperands: 1 },
  tac: { operands: 'files', minOperands: 1 },
  rev: { operands: 'files', minOperands: 1, lacksDoubleDash: true },
  nl: { options: '-b:a|t|n -w:number', operands: 'files', minOperands: 1, maxOperands: 1 },
  head: { letters: 'qv', options: '-# -n:number -c:number --lines:number --bytes:number', operands: 'files', minOperands: 1 },
  tail: { letters: 'qv', options: '-# -n:offset -c:offset --lines:number --bytes:number', operands: 'files', minOperands: 1 },
  wc: { letters: 'clmwL', options: '--lines --words --bytes --chars', operands: 'files', minOperands: 1 },
  sort: {
    letters: 'bcdfghinMruVs',
    options: '--reverse --numeric-sort --unique --human-numeric-sort --version-sort --ignore-case -k:key --key:key -t:character',
    operands: 'files',
    minOperands: 1,
  },
  // The second operand of `uniq` is its output file.
  uniq: { letters: 'cdui', options: '--count --repeated --unique', operands: 'files', minOperands: 1, maxOperands: 1 },
  cut: {
    letters: 's',
    options: '-d:character --delimiter:character -f:list --fields:list -c:list -b:list',
    operands: 'files',
    minOperands: 1,
  },
  paste: { letters: 's', options: '-d:text', operands: 'files', minOperands: 1 },
  column: { letters: 't', options: '-s:character', operands: 'files', minOperands: 1 },
  comm: { letters: '123', operands: 'files', minOperands: 2, maxOperands: 2 },
  cmp: { letters: 'ls', operands: 'files', minOperands: 2, maxOperands: 2 },
  diff: {
    letters: 'uqswbBiy',
    options:
      '--brief --unified --side-by-side --ignore-case --ignore-all-space --report-identical-files --color=never -U:number -W:number',
    operands: 'files',
    minOperands: 2,
    maxOperands: 2,
  },
  cksum: { operands: 'files', minOperands: 1 },
  md5: { letters: 'qr', operands: 'files', minOperands: 1, lacksDoubleDash: true },
  shasum: { options: '-a:1|224|256|384|512', operands: 'files', minOperands: 1 },
  hexdump: { letters: 'C', options: '-n:number -s:number', operands: 'files', minOperands: 1 },
  od: { letters: 'cx', options: '-N:number -A:d|o|x', operands: 'files', minOperands: 1 },
  sed: {
    letters: 'n',
    requiresOneOf: '-n',
    operands: 'files',
    first: { pattern: /^\d{1,6}(,\d{1,6})?p$/, option: '-e' },
    minOperands: 2,
  },
  jq: { letters: 'rcS', operands: 'files', first: { pattern: /^\.[\w.[\]]*$/ }, minOperands: 2, lacksDoubleDash: true },
  grep: {
    letters: 'chiHlnosvwxEF',
    options:
      '--count --ignore-case --line-number --word-regexp --files-with-matches --fixed-strings --color=never ' +
      '-A:number -B:number -C:number -m:number',
    operands: 'files',
    first: { pattern: anyText, option: '-e' },
    minOperands: 2,
  },
  // Only files are allowed. In a folder, `rg` would search files that may contain secrets.
  rg: {
    letters: 'cFHilnNosSvwxU',
    options:
      '--count --ignore-case --line-number --no-heading --fixed-strings --word-regexp --files-with-matches --smart-case ' +
      '-A:number -B:number -C:number -m:number -M:number',
    operands: 'files',
    first: { pattern: anyText, option: '-e' },
    minOperands: 2,
    adds: '--no-config --color=never',
  },
};

export const ripgrepFiles: ProgramRule = {
  options: '--files --hidden -g:glob --glob:glob -t:type --type:type',
  requiresOneOf: '--files',
  operands: 'paths',
  adds: '--no-config --color=never',
};

/** Expression of `find`. It comes last, because `find` would parse a later path as part of the expression. */
export const findExpression: ProgramRule = {
  options:
    '-print -not -o -a -empty -name:text -iname:text -path:text -ipath:text -type:d|f|l -maxdepth:number -mindepth:number ' +
    '-size:size -mtime:days -mmin:days',
  operands: 'none',
};
