/** A repository in the folder `lib`, and the data that belongs to it. */
export interface GitLayout {
  name: string;
  /** Script that creates it from the repository `$SRC`. */
  script: string;
  /** Relative paths of its data and of the data of related repositories. */
  data: string[];
}

const commits = `git init -q -b main lib; cd lib
for i in 1 2 3; do echo $i > a; git add a; git commit -qm c$i; git branch b$i; done
git checkout -q -b side; echo s > s; git add s; git commit -qm side; git checkout -q main; git branch -f b1 side; git tag v1`;
const clone = 'git clone -q';
const withSubmodule = `${commits}; git submodule add -q "file://$SRC" sub; git commit -qm sub
(cd sub; echo own > own; git add own; git commit -qm own)`;

const bases: GitLayout[] = [
  { name: 'plain', script: commits, data: ['lib/.git'] },
  { name: 'packed', script: `${commits}; git gc -q`, data: ['lib/.git'] },
  {
    name: 'detached',
    script: `${commits}; git checkout -q --detach; echo d > d; git add d; git commit -qm d`,
    data: ['lib/.git'],
  },
  {
    name: 'detached without logs',
    script: `${commits}; git config core.logAllRefUpdates false; rm -rf .git/logs
      git checkout -q --detach; echo d > d; git add d; git commit -qm d`,
    data: ['lib/.git'],
  },
  {
    name: 'shallow',
    script: `${clone} --depth 2 "file://$SRC" lib; cd lib; echo l > l; git add l; git commit -qm l`,
    data: ['lib/.git'],
  },
  {
    name: 'sparse',
    script: `${clone} "$SRC" lib; cd lib; git sparse-checkout set d; echo l > l; git add --sparse l; git commit -qm l`,
    data: ['lib/.git'],
  },
  {
    name: 'with LFS files',
    script: `${commits}; mkdir -p .git/lfs/objects/ab/cd; echo large > .git/lfs/objects/ab/cd/abcd
      printf 'version https://git-lfs.github.com/spec/v1\\noid sha256:abcd\\nsize 6\\n' > big; git add big; git commit -qm big`,
    data: ['lib/.git'],
  },
  { name: 'submodule', script: withSubmodule, data: ['lib/.git', 'lib/.git/modules/sub'] },
  {
    name: 'submodule in a submodule',
    script: `${withSubmodule}; (cd sub; git submodule add -q "file://$SRC" deep/er; git commit -qm deeper)`,
    data: ['lib/.git', 'lib/.git/modules/sub', 'lib/.git/modules/sub/modules/deep/er'],
  },
  { name: 'working tree', script: `${commits}; git worktree add -q ../wt side`, data: ['lib/.git', 'lib/.git/worktrees/wt'] },
  {
    name: 'detached working tree',
    script: `${commits}; git worktree add -q --detach ../wt; cd ../wt; echo w > w; git add w; git commit -qm w`,
    data: ['lib/.git', 'lib/.git/worktrees/wt'],
  },
  { name: 'bare', script: `${clone} --mirror "$SRC" lib; cd lib`, data: ['lib'] },
  {
    name: 'sha256',
    script: `git init -q -b main --object-format=sha256 lib; cd lib; echo a > a; git add a; git commit -qm a; git branch b1; git tag v1`,
    data: ['lib/.git'],
  },
  {
    name: 'data elsewhere',
    script: 'git init -q -b main --separate-git-dir=gd lib; cd lib; echo a > a; git add a; git commit -qm a; git branch b1',
    data: ['gd'],
  },
  {
    name: 'clone in an ignored folder',
    script: `${commits}; echo vendor > .gitignore; git init -q vendor/x; cd vendor/x; echo x > x; git add x; git commit -qm x`,
    data: ['lib/.git', 'lib/vendor/x/.git'],
  },
  { name: 'without commits', script: 'git init -q -b main lib; cd lib; echo a > a; git add a', data: ['lib/.git'] },
  {
    name: 'in a conflict',
    script: `${commits}; git checkout -q -b other b2; echo other > a; git commit -qam other; git merge -q main || true`,
    data: ['lib/.git'],
  },
  {
    name: 'in a rebase',
    script: `${commits}; git checkout -q -b other b2; echo other > a; git commit -qam other; git rebase -q main || true`,
    data: ['lib/.git'],
  },
  {
    name: 'partial clone',
    script: `${clone} --filter=blob:none "file://$SRC" lib; cd lib; echo l > l; git add l; git commit -qm l`,
    data: ['lib/.git'],
  },
  {
    name: 'with borrowed objects',
    script: `${clone} --shared "$SRC" lib; cd lib; echo l > l; git add l; git commit -qm l`,
    data: ['lib/.git'],
  },
];

const additions = [
  { name: '', script: '' },
  { name: ', packed references and notes', script: 'git tag -a t -m t; git notes add -m n; git pack-refs --all' },
  { name: ', stashed and staged', script: 'echo st > a; git stash -q; echo staged > new; git add new; echo worked > new' },
];

export const layouts: GitLayout[] = bases.flatMap((base) =>
  additions.map(({ name, script }) => ({ ...base, name: base.name + name, script: `${base.script}\n${script}` })),
);

/** Destructive command, where `$D` is the data. `isDrop`: Git itself drops something, and the repository remains. */
export const destroyers: { command: string; isDrop?: boolean }[] = [
  { command: 'rm -rf lib' },
  { command: 'rm -rf $D' },
  { command: 'rm -rf $D/objects' },
  { command: 'rm -rf $D/*' },
  { command: 'rm -rf $D/refs $D/packed-refs' },
  { command: 'mv $D moved' },
  { command: ': > $D/HEAD' },
  { command: 'find $D -type f -delete' },
  {
    command:
      'cd lib; git reset -q --hard; git stash clear; git reflog expire --expire=now --all; git worktree prune; git gc -q --prune=now',
    isDrop: true,
  },
  {
    command:
      'cd lib; git branch -D side b1 b2; git tag -d v1; git update-ref -d HEAD; git reset -q; git reflog expire --expire=now --all; git gc -q --prune=now',
    isDrop: true,
  },
];
