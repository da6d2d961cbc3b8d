/** Keys of one section of a repository's settings; `*` stands for all of them. */
type Keys = readonly string[] | '*';

const keys = (text: string): readonly string[] => text.split(' ');

/**
 * Keys that a repository's own settings may hold without a question: none makes a command of `readOnlyGit.ts` run a
 * program, read a
 * file of its choice or reach a server. Keys that name a program are listed only if `plainProgram.ts` or the command's
 * own options
 * overrule them, or if only commands that write use them. Source: git-config(1) of git 2.51.
 */
const plain: Readonly<Record<string, Keys>> = {
  core: keys(
    'repositoryformatversion filemode bare logallrefupdates ignorecase precomposeunicode symlinks autocrlf eol safecrlf quotepath ' +
      'longpaths abbrev commentchar untrackedcache preloadindex fscache trustctime checkstat hidedotfiles protecthfs protectntfs ' +
      'whitespace sharedrepository sparsecheckout sparsecheckoutcone editor fsmonitor hookspath pager',
  ),
  advice: '*',
  color: '*',
  column: '*',
  commit: keys('gpgsign verbose template cleanup'),
  diff: keys('algorithm renames renamelimit mnemonicprefix noprefix colormoved context external'),
  extensions: keys('objectformat refstorage worktreeconfig noop'),
  fetch: keys('prune prunetags parallel recursesubmodules'),
  format: keys('pretty'),
  gc: '*',
  gpg: keys('format program'),
  gui: '*',
  init: keys('defaultbranch'),
  lfs: keys('repositoryformatversion'),
  log: keys('date decorate follow abbrevcommit showsignature'),
  maintenance: keys('auto strategy'),
  merge: keys('ff conflictstyle renames renamelimit'),
  pull: keys('rebase ff'),
  push: keys('default autosetupremote followtags'),
  rebase: keys('autosquash autostash updaterefs'),
  rerere: keys('enabled autoupdate'),
  status: keys('showuntrackedfiles relativepaths short branch'),
  submodule: keys('active'),
  tag: keys('gpgsign sort'),
  user: keys('name email signingkey useconfigonly'),
};

/** The same of sections with a name of their own in them, such as a branch's. */
const named: Readonly<Record<string, Keys>> = {
  branch: '*',
  color: '*',
  gitflow: '*',
  remote: keys('url pushurl fetch push tagopt prune prunetags gh-resolved glab-resolved'),
  submodule: keys('active url branch'),
};

/** Settings of git-lfs for one server. */
const lfsServer = /^lfs\.https?:\/\/.*\.(access|locksverify)$/;

/** Returns whether a key of a repository's settings, as `git config --list` writes it, is known to do no harm to a reader. */
export function isHarmlessSetting(key: string): boolean {
  const first = key.indexOf('.');
  const last = key.lastIndexOf('.');
  if (first < 0) return false;
  const section = key.slice(0, first).toLowerCase();
  const table = first === last ? plain : named;
  const known = Object.hasOwn(table, section) ? table[section] : undefined;
  return known === '*' || known?.includes(key.slice(last + 1).toLowerCase()) === true || lfsServer.test(key);
}
