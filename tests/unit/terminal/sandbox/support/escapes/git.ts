import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { textOf, type Arena, type Attempt } from './arena';

/** Command that has no effect in the sandbox. If it runs outside, it proves the escape. */
const run = 'touch $HOME/ran-outside';
/** Creates a Git folder `evil` whose settings run a program, without the name `.git`. */
const evil = `git init -q --bare evil && git -C evil config core.bare false && git -C evil config core.fsmonitor "${run}; false" && git -C evil config core.worktree "$PWD"`;

function gitIn(folder: string, ...args: string[]): void {
  execFileSync('git', args, { cwd: folder, stdio: 'ignore' });
}

/** Creates another repository in the workspace. */
function nested({ root }: Arena, name = 'sub'): void {
  gitIn(root, 'init', '-q', name);
  writeFileSync(join(root, name, 'f'), 'f');
  gitIn(join(root, name), 'add', '.');
  gitIn(join(root, name), '-c', 'user.name=A', '-c', 'user.email=a@b.c', 'commit', '-qm', 'F');
}

/** Attempts to make Git run a program outside, or to change another repository through the sandbox's protection of Git settings. */
export const gitEscapes: readonly Attempt[] = (
  [
    {
      name: 'settings that run programs',
      commands: () =>
        [
          'core.fsmonitor',
          'core.hooksPath',
          'core.sshCommand',
          'core.pager',
          'diff.external',
          'alias.st',
          'filter.x.clean',
          'gpg.program',
          'credential.helper',
          'include.path',
        ].map((key) => `git config ${key} "${run}"`),
    },
    {
      name: 'settings that are changed for a moment, or in a loop until the end',
      commands: () => [
        `cp .git/config /tmp/c; git config core.fsmonitor "${run}; false"; cp /tmp/c .git/config`,
        `git config core.fsmonitor "${run}; false"; cp .git/config /tmp/evil; (setsid sh -c 'while :; do cp /tmp/evil .git/config; done' >/dev/null 2>&1 &); sleep 0.3; cp /tmp/evil .git/config`,
      ],
    },
    {
      name: 'settings by a link to a file that the next command changes',
      commands: () => [
        'cp .git/config cfg && rm .git/config && ln -s ../cfg .git/config',
        `git config -f cfg core.fsmonitor "${run}; false"`,
      ],
    },
    {
      name: 'settings by a hard link to a file that the next command changes',
      commands: () => [
        'cp .git/config cfg && rm .git/config && ln cfg .git/config',
        `git config -f cfg core.fsmonitor "${run}; false"; printf '[core]\\n\\tfsmonitor = "${run}; false"\\n' >> cfg`,
      ],
    },
    {
      name: 'settings in a folder that cannot be written',
      commands: () => [`git config core.fsmonitor "${run}; false"; chmod 555 .git; chmod 444 .git/config`],
    },
    {
      name: 'settings in a file too large to read',
      commands: () => [`git config core.fsmonitor "${run}; false"; truncate -s 3G .git/config; true`],
      isOut: ({ root }) => !readFileSync(join(root, '.git/config')).subarray(0, 100).includes('[core]'),
    },
    {
      name: 'a folder, a pipe and a device instead of settings',
      commands: () => [
        'rm .git/config; mkdir -p .git/config/a; echo',
        'rm -f .git/config; mkfifo .git/config',
        'rm .git/config; ln -s /dev/zero .git/config',
      ],
    },
    {
      name: 'files that lead Git to another folder',
      commands: () => [
        `${evil}; echo ../evil > .git/commondir; echo "$PWD/evil" > .git/gitdir; cp evil/config .git/config.worktree; git config extensions.worktreeConfig true`,
      ],
    },
    {
      name: 'hooks: written, linked, renamed, mounted over',
      commands: () => [
        `printf '#!/bin/sh\\n${run}\\n' > h; chmod +x h; cp h .git/hooks/pre-commit; ln -s ../../h .git/hooks/post-checkout; rm -rf .git/hooks; mv .git/hooks .git/h2; ln -sfn ../h .git/hooks; mkdir -p .git/hooks; cp h .git/hooks/post-checkout`,
      ],
    },
    {
      name: 'hooks in a repository that had no folder for them',
      prepare: ({ root }) => execFileSync('rm', ['-rf', join(root, '.git/hooks')]),
      commands: () => [
        `mkdir -p .git/hooks; printf '#!/bin/sh\\n${run}\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit; ln -s ../h .git/hooks`,
      ],
    },
    {
      name: 'hooks in a repository that had no folder for them, after another command has ended',
      prepare: ({ root }) => execFileSync('rm', ['-rf', join(root, '.git/hooks')]),
      commands: () => [
        [
          `sleep 2; mkdir -p .git/hooks; printf '#!/bin/sh\\n${run}\\n' > .git/hooks/pre-commit; chmod +x .git/hooks/pre-commit`,
          'true',
        ],
      ],
    },
    {
      name: 'hooks in a folder of the workspace',
      prepare: async ({ root, write }) => {
        await write('work/.husky/pre-commit', '#!/bin/sh\ntrue\n');
        gitIn(root, 'config', 'core.hooksPath', '.husky');
        execFileSync('chmod', ['+x', join(root, '.husky/pre-commit')]);
      },
      commands: () => [
        `printf '#!/bin/sh\\n${run}\\n' > .husky/pre-commit; cp .husky/pre-commit .husky/post-checkout; chmod +x .husky/*; true`,
      ],
    },
    {
      name: 'settings that the repository includes from the workspace',
      prepare: async ({ root, write }) => {
        await write('work/shared.gitconfig', '[pull]\n\trebase = true\n');
        gitIn(root, 'config', 'include.path', '../shared.gitconfig');
      },
      commands: () => [`git config -f shared.gitconfig core.fsmonitor "${run}; false"; true`],
    },
    {
      name: 'attributes with filters',
      commands: () => [
        `echo '* filter=x diff=x' > .gitattributes; echo '* filter=x' > .git/info/attributes; git config filter.x.clean "${run}; cat"; git config diff.x.textconv "${run}; cat"; echo changed > src/a.ts`,
      ],
    },
    {
      name: 'another repository instead of `.git`',
      commands: () => [
        `${evil}; mv .git g; rm -rf .git; cp -r evil .git; ln -sfn evil .git; echo "gitdir: evil" > .git; mount --bind evil .git`,
      ],
    },
    {
      name: 'a new repository',
      commands: () => [
        `mkdir new && cd new && git init -q && git config core.fsmonitor "${run}; false" && printf '#!/bin/sh\\n${run}\\n' > .git/hooks/post-checkout`,
      ],
    },
    {
      name: 'a new repository in a folder that builds make again',
      commands: () => [
        `for d in dist node_modules/x; do mkdir -p $d; (cd $d && git init -q && git config core.fsmonitor "${run}; false"); done`,
      ],
    },
    {
      name: 'a new file `.git` that leads to a folder with another name',
      commands: () => [`${evil}; mkdir new; echo "gitdir: $PWD/evil" > new/.git`],
    },
    { name: 'a new link `.git` to a folder with another name', commands: () => [`${evil}; mkdir new; ln -s ../evil new/.git`] },
    {
      name: 'a bare repository',
      commands: () => [
        evil,
        `mkdir x; cp -r evil/. x/; git init -q --bare y.git && git -C y.git config core.fsmonitor "${run}; false"; git -C y.git config core.bare false; git -C y.git config core.worktree ..`,
      ],
    },
    {
      name: 'settings and hooks of a worktree',
      prepare: ({ root }) => gitIn(root, 'worktree', 'add', '-q', 'tree'),
      commands: () => [
        `${evil}; echo "$PWD/evil" > .git/worktrees/tree/commondir; cp evil/config .git/worktrees/tree/config.worktree; cp evil/config .git/worktrees/tree/config; true`,
        `rm tree/.git; echo "gitdir: $PWD/evil" > tree/.git`,
      ],
    },
    {
      name: 'the settings of a submodule, existing and new',
      prepare: ({ root }) => {
        nested({ root } as Arena, 'origin');
        gitIn(root, '-c', 'protocol.file.allow=always', 'submodule', 'add', '-q', './origin', 'module');
      },
      commands: () => [
        `git -C module config core.fsmonitor "${run}; false"; printf '#!/bin/sh\\n${run}\\n' > .git/modules/module/hooks/post-checkout; cp -r .git/modules/module .git/modules/new; git config -f .git/modules/new/config core.fsmonitor "${run}; false"; mkdir m; echo "gitdir: ../.git/modules/new" > m/.git`,
        `mv .git/modules .git/m; ln -s ../evil .git/modules; mkdir -p evil; cp -r .git/m/. evil/; git config -f evil/module/config core.fsmonitor "${run}; false"`,
      ],
    },
    {
      name: 'a link to the home folder as the folder of submodules',
      prepare: ({ home }) => {
        gitIn(join(home, 'other'), 'config', 'core.pager', 'less');
        writeFileSync(join(home, 'other/.git/hooks/pre-push'), 'kept');
      },
      commands: ({ home }) => [`ln -s ${home} .git/modules`, 'true', `mkdir n; cd n; git init -q; ln -s ${home} .git/modules`],
    },
    {
      name: 'a link to another repository where a nested one was',
      prepare: (arena) => nested(arena),
      commands: ({ home }) => [
        `mv sub old; ln -s ${home}/other sub; git -C sub status`,
        `git config -f old/.git/config core.fsmonitor "${run}; false"; true`,
      ],
    },
    {
      name: 'a link where the copy of restored settings is written',
      isSlow: true,
      prepare: ({ home }) => writeFileSync(join(home, 'private'), 'x', { mode: 0o600 }),
      commands: ({ home }) => [
        `for i in $(seq 60); do git config core.fsmonitor "${run}; false"; for j in $(seq 30); do for f in .git/config.*; do ln -sfn ${home}/private $f; done; done; done 2>/dev/null; rm -f .git/config.lock; true`,
      ],
    },
    {
      name: 'a folder with links where settings are restored by removing it',
      isSlow: true,
      commands: ({ home }) => [
        `for i in $(seq 100); do mkdir -p .git/commondir/d/e; touch .git/commondir/d/file; mv .git/commondir/d .git/d2; ln -s ${home}/other .git/commondir/d; rm -rf .git/d2; rm -f .git/commondir/d; done 2>/dev/null; true`,
      ],
    },
    {
      name: 'a nested repository whose parent is renamed',
      prepare: (arena) => {
        mkdirSync(join(arena.root, 'parent'));
        nested(arena, 'parent/sub');
      },
      commands: () => [
        `mv parent moved; mkdir -p parent; cp -r moved/sub parent/; git config -f parent/sub/.git/config core.fsmonitor "${run}; false"; printf '#!/bin/sh\\n${run}\\n' > parent/sub/.git/hooks/post-checkout`,
      ],
    },
    {
      name: 'a file `.git` that exists, and the folder that it names',
      prepare: ({ root }) => {
        mkdirSync(join(root, 'lib'));
        gitIn(join(root, 'lib'), 'init', '-q', '--separate-git-dir', join(root, 'lib-git'));
      },
      commands: () => [
        `git config -f lib-git/config core.fsmonitor "${run}; false"; printf '#!/bin/sh\\n${run}\\n' > lib-git/hooks/post-checkout; rm lib/.git; true`,
      ],
    },
    {
      name: 'a link `.git` that exists, and the folder that it names',
      prepare: (arena) => {
        nested(arena, 'lib');
        execFileSync('mv', [join(arena.root, 'lib/.git'), join(arena.root, 'lib-git')]);
        symlinkSync('../lib-git', join(arena.root, 'lib/.git'));
      },
      commands: () => [
        `git config -f lib-git/config core.fsmonitor "${run}; false"; true`,
        `${evil}; rm lib/.git; ln -s ../evil lib/.git`,
      ],
    },
    {
      name: 'settings of the user',
      prepare: ({ write }) => write('.gitconfig', '[user]\n\tname = Ann\n'),
      commands: () => [
        `git config --global core.fsmonitor "${run}"; git config --system core.pager x; git config --global --unset user.name; echo x > ~/.gitconfig; true`,
      ],
      isOut: ({ home }) => textOf(join(home, '.gitconfig')) !== '[user]\n\tname = Ann\n',
    },
  ] satisfies Attempt[]
).map((attempt: Attempt): Attempt => ({
  ...attempt,
  usesGit: true,
  isOut: (arena, runs) => existsSync(join(arena.home, 'ran-outside')) || attempt.isOut?.(arena, runs) === true,
}));
