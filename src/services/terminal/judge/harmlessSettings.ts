/** Keys of one section of the repository configuration. `*` allows all keys. */
type Keys = readonly string[] | '*';

const keys = (text: string): readonly string[] => text.split(' ');

/**
 * Keys that a repository configuration may contain without requiring approval. With these keys, no command in `readOnlyGit.ts`
 * runs a program, reads an arbitrary file or contacts a server. Some keys name a program. They are listed only if
 * `plainProgram.ts` or the options of the command override them, or if only writing commands use them. Source: git-config(1) of
 * git 2.51.
 */
const sections: Readonly<Record<string, Keys>> = {
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

/** Allowed keys of sections that have a subsection, such as a branch name. */
const subsections: Readonly<Record<string, Keys>> = {
  branch: '*',
  color: '*',
  gitflow: '*',
  remote: keys('url pushurl fetch push tagopt prune prunetags gh-resolved glab-resolved'),
  submodule: keys('active url branch'),
};

/** Server-specific git-lfs settings. */
const lfsServer = /^lfs\.https?:\/\/.*\.(access|locksverify)$/;

/**
 * Returns whether a configuration key is known to be harmless for read-only
 * commands. The key has the form that `git config --list` prints.
 */
export function isHarmlessSetting(key: string): boolean {
  const first = key.indexOf('.');
  const last = key.lastIndexOf('.');
  if (first < 0) return false;
  const section = key.slice(0, first).toLowerCase();
  const table = first === last ? sections : subsections;
  const known = Object.hasOwn(table, section) ? table[section] : undefined;
  return known === '*' || known?.includes(key.slice(last + 1).toLowerCase()) === true || lfsServer.test(key);
}
