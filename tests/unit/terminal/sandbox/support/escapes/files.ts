import { chmodSync, existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { textOf, type Arena, type Attempt } from './arena';
import { homeSecretNames } from './homeSecretNames';

const keptData = ({ root }: Arena, path = 'data/kept.db'): boolean => textOf(join(root, path)) !== `work/${path}\n`;

/** Attempts to write to paths outside the workspace, or to files that no checkpoint contains. */
export const fileEscapes: readonly Attempt[] = [
  {
    name: 'a link in the workspace to a file outside',
    commands: ({ home }) => [
      `ln -s ${home}/.bashrc link; echo x >> link; cp /dev/null link; tee link </dev/null; truncate -s0 link`,
    ],
  },
  {
    name: 'a link that is swapped while a loop writes through it',
    isSlow: true,
    commands: ({ home }) => [
      `touch f; (for i in $(seq 300); do ln -sfn f l; ln -sfn ${home}/.bashrc l; done) & for i in $(seq 300); do echo x >> l; done 2>/dev/null; wait`,
    ],
  },
  {
    name: 'a folder that becomes a link while files are written in it',
    isSlow: true,
    commands: ({ home }) => [
      `mkdir -p d; (for i in $(seq 200); do rm -rf d; ln -sfn ${home}/other d; rm -f d; mkdir -p d; done) 2>/dev/null & for i in $(seq 200); do echo x > d/file; done 2>/dev/null; wait`,
    ],
  },
  {
    name: 'a hard link to a file outside',
    commands: ({ home }) => [`ln ${home}/.bashrc hard && echo x >> hard; ln -L ${home}/.profile hard2 && echo x >> hard2`],
  },
  {
    name: 'a hard link to an ignored file',
    commands: () => ['ln data/kept.db hard && echo x >> hard; ln local.sqlite hard2 && echo x >> hard2'],
    isOut: (arena) => keptData(arena) || keptData(arena, 'local.sqlite'),
  },
  {
    name: '/proc/1/root, /proc/self/root and folders of descriptors',
    commands: ({ home }) => [
      `for p in /proc/1/root /proc/self/root /proc/*/cwd /proc/*/fd/*; do echo x >> $p${home}/.bashrc; echo x > $p/../.bashrc; done 2>/dev/null; cat /proc/*/root${home}/.ssh/id_ed25519 /proc/*/root${home}/work/.env`,
    ],
  },
  {
    name: 'settings of the kernel in /proc and /sys',
    commands: () => [
      'for f in /proc/sys/kernel/core_pattern /proc/sys/kernel/hostname /proc/sys/kernel/modprobe /proc/sys/vm/swappiness /proc/sysrq-trigger /sys/kernel/mm/ksm/run /sys/kernel/uevent_helper; do cat $f > /tmp/v 2>/dev/null; cat /tmp/v > $f && echo "WROTE $f"; done; mkdir /sys/fs/cgroup/oc-new && echo WROTE cgroup; echo ":x:M::x::/bin/true:" > /proc/sys/fs/binfmt_misc/register && echo WROTE binfmt; true',
    ],
    isOut: (_, [run]) => /^WROTE /m.test(run?.output ?? ''),
  },
  {
    name: 'remounting and unmounting',
    commands: ({ home }) => [
      `mount -o remount,rw /; mount --bind / /mnt; umount -l ${home}/.ssh; umount -l .env; umount -l data; echo x > data/kept.db; cat .env ${home}/.ssh/*`,
    ],
    isOut: (arena) => keptData(arena),
  },
  {
    name: 'new namespaces',
    commands: ({ home }) => [
      `unshare -rm sh -c 'umount -l ${home}/.ssh; cat ${home}/.ssh/*; echo x > ${home}/.bashrc'; unshare -Urpf --mount-proc true && echo NEW; nsenter -t 1 -m -u -n cat ${home}/.ssh/id_ed25519; bwrap --bind / / --dev /dev true && echo NEW`,
    ],
    isOut: (_, [run]) => /^NEW/m.test(run?.output ?? ''),
  },
  {
    name: 'a namespace by clone(2), and mounts by their new system calls',
    commands: () => [
      // clone(CLONE_NEWUSER | SIGCHLD), fsopen, open_tree, move_mount, setns, mount_setattr
      `perl -e '$p = syscall(56, 0x10000011, 0, 0, 0, 0); if ($p == 0) { exit 0 } print "NEW clone\\n" if $p > 0; for ([430,"tmpfs",0],[428,-100,"/",1],[308,0,0]) { my @a = @$_; print "NEW $a[0]\\n" if syscall($a[0], @a[1..$#a]) >= 0 }'`,
    ],
    isOut: (_, [run]) => /^NEW/m.test(run?.output ?? ''),
  },
  {
    name: 'renaming a hidden file, a read-only one and their parents',
    commands: () => [
      'mv .env e; mv data d; mv pkg p; mv keep k; cat e p/.env.local; echo x > k/data/kept.db; echo x > d/kept.db; rm -rf k d',
    ],
    isOut: (arena) => keptData(arena, 'keep/data/kept.db') || keptData(arena),
  },
  {
    name: 'moving the parent of a secret to a folder that is not searched',
    commands: () => ['mv pkg node_modules/pkg', 'cat node_modules/pkg/.env.local; grep -rs planted .'],
  },
  {
    name: 'moving the parent of an ignored file to a folder that builds make again',
    commands: () => ['mv keep node_modules/keep', 'rm -rf node_modules/keep'],
    isOut: (arena) => keptData(arena, 'keep/data/kept.db') && keptData(arena, 'node_modules/keep/data/kept.db'),
  },
  {
    name: 'a parent that is swapped for a link while another command starts',
    isSlow: true,
    commands: () => [
      [
        'for i in $(seq 400); do mv pkg moved; ln -s / pkg; rm pkg; mv moved pkg; done 2>/dev/null; true',
        'cat pkg/.env.local moved/.env.local; sleep 0.2; cat pkg/.env.local moved/.env.local; true',
      ],
      'cat pkg/.env.local moved/.env.local; true',
    ],
  },
  {
    name: 'settings of the editor, in any spelling',
    commands: () => [
      'mkdir .vscode; echo x > .vscode/tasks.json; mkdir .VSCODE .idea .devcontainer; echo x > .devcontainer/devcontainer.json; echo x > .devcontainer.json; echo x > .idea/workspace.xml; rm -rf .vscode; ln -s src .vscode; mv src .vscode',
    ],
    isOut: ({ root }) => existsSync(join(root, '.vscode')),
  },
  {
    name: 'a link that is the folder of settings of the editor',
    prepare: ({ root }) => {
      mkdirSync(join(root, 'settings'));
      writeFileSync(join(root, 'settings/settings.json'), '{}');
      symlinkSync('settings', join(root, '.vscode'));
    },
    commands: () => ['echo x > settings/settings.json; rm .vscode; mkdir .vscode; echo x > .vscode/tasks.json'],
    isOut: ({ root }) =>
      existsSync(join(root, '.vscode/tasks.json')) || readFileSync(join(root, 'settings/settings.json'), 'utf8') !== '{}',
  },
  {
    name: 'the file of a multi-root workspace',
    prepare: ({ root }) => writeFileSync(join(root, 'all.code-workspace'), '{}'),
    commands: () => [`echo '{"settings":{}}' > all.code-workspace; mv all.code-workspace b; echo x > all.code-workspace`],
    isOut: ({ root }) => textOf(join(root, 'all.code-workspace')) !== '{}',
  },
  {
    name: 'settings of the editor, after another command has ended',
    commands: () => [['sleep 2.5; mkdir -p .vscode; echo x > .vscode/tasks.json', 'true', 'sleep 0.3']],
    isOut: ({ root }) => existsSync(join(root, '.vscode/tasks.json')),
  },
  {
    name: 'links in the folder for temporary files',
    commands: ({ home }) => [
      `ln -s ${home}/other /tmp/link; ln -s ${home}/other $TMPDIR/l2; ln -s ${home}/.bashrc /tmp/file; for i in 1 2 3; do ln -s ${home}/other ~/.cache/pip.new-$i; done; true`,
      'echo x > /tmp/link/file; echo x > $TMPDIR/l2/file; rm -rf /tmp/link/ /tmp/l2/; echo x >> /tmp/file; mktemp -p /tmp/link',
    ],
  },
  {
    name: 'files that start programs with the session of the user',
    commands: () => [
      'for f in ~/.bashrc ~/.profile ~/.zshrc ~/.bash_profile ~/.config/autostart/b.desktop ~/.config/systemd/user/x.service ~/.ssh/rc ~/.gitconfig ~/.config/git/config ~/.local/bin/git ~/bin/ls ~/.npmrc ~/.pythonrc; do mkdir -p $(dirname $f); echo x >> $f; done 2>/dev/null; (crontab -l; echo "* * * * * touch ~/ran-outside") | crontab -; echo "touch ~/ran-outside" | at now; systemd-run --user touch ~/ran-outside; true',
    ],
  },
  {
    name: 'poisoned package caches',
    commands: () => [
      'echo poison > ~/.npm/_cacache/index; echo poison > ~/.cache/pip/a; rm -rf ~/.npm ~/.cache/pip; mkdir -p ~/.cache/x; echo poison > ~/.cache/x/y; true',
    ],
  },
  {
    name: 'links in the caches, on which the next command mounts',
    prepare: ({ write }) => write('.cache/tool/a'),
    commands: ({ home }) => [
      `rmdir ~/.cache/tool; ln -s ${home}/other ~/.cache/tool; rm -rf ~/.cache/pip; ln -s ../../oldroot${home}/new ~/.cache/pip; ln -s /oldroot${home}/new2 ~/.cache/new; true`,
      'echo x > ~/.cache/tool/file; echo x > ~/.cache/pip/y; true',
    ],
  },
  {
    name: 'files of the sandbox itself',
    commands: ({ home }) => [
      `find /tmp /run ~ -name 'gitconfig-*' -o -name filter -path '*blanks*' 2>/dev/null; ls -R ${home}/storage; echo x > ${home}/storage/main.db; rm -rf ${home}/storage; for n in $(seq 0 9); do echo x > /proc/self/fd/$n; done 2>/dev/null; true`,
    ],
    isOut: ({ home }) => textOf(join(home, 'storage/main.db'))?.includes('planted') !== true,
  },
  {
    name: 'devices',
    commands: () => [
      `mknod disk b 254 0 && echo MADE; mknod mem c 1 1 && echo MADE; ls /dev/vda* /dev/sda* /dev/nvme* /dev/mem /dev/kmsg /dev/fuse /dev/kvm /dev/net/tun 2>/dev/null | sed 's/^/SEEN /'; true`,
    ],
    isOut: (_, [run]) => /^(MADE|SEEN)/m.test(run?.output ?? ''),
  },
  {
    name: 'secrets by other names',
    prepare: async ({ write, root, home }) => {
      for (const name of [
        '.ENV',
        '.env.bak',
        '.env~',
        '.Env.Local',
        'dist/.env',
        'vendor/id_rsa',
        'id_rsa.old',
        'deep/a/b/c/.env.production',
        '.git-credentials',
        'key.pem',
      ])
        await write(`work/${name}`, 'planted-7c41');
      symlinkSync(join(home, '.ssh'), join(root, 'keys'));
    },
    commands: () => [
      'cat $(find . -type f) .env keys/* 2>/dev/null; grep -rs planted . ; cp -r . /tmp/copy; cat /tmp/copy/.env; tar cf - . | grep -a planted; git add -f .env && git show :.env; true',
    ],
  },
  {
    name: 'secrets of the home folder',
    prepare: async ({ write }) => {
      for (const name of homeSecretNames) await write(name, 'planted-7c41');
      await write('notes.txt', 'visible');
    },
    commands: () => ['cat ~/notes.txt; grep -rIls planted ~ | sed "s/^/FOUND /"; true'],
    isOut: (_, [run]) => !/^visible/.test(run?.output ?? '') || /^visible.*FOUND/s.test(run?.output ?? ''),
  },
  {
    name: 'a secret file that is made while the command starts',
    commands: () => ['cat .env.* late/.env 2>/dev/null; mv .env x; cp .env y; cat x y; true'],
  },
  {
    name: 'names with line breaks, quotes and options',
    prepare: async ({ write }) => {
      for (const name of [
        'new\nline.sqlite',
        'quo"te\'.sqlite',
        '--bind.sqlite',
        ' space .sqlite',
        '$HOME.sqlite',
        'a\\b.sqlite',
      ])
        await write(`work/${name}`, 'kept');
      for (const name of ['odd\nname/.env', '-x/.env', 'quo"te/.env']) await write(`work/${name}`, 'planted-7c41');
    },
    commands: () => ['for f in *.sqlite ./*.sqlite; do echo x > "$f"; rm -f -- "$f"; done; cat */.env ./-x/.env; true'],
    isOut: ({ root }) =>
      ['new\nline.sqlite', 'quo"te\'.sqlite', '--bind.sqlite', ' space .sqlite', '$HOME.sqlite', 'a\\b.sqlite'].some(
        (name) => textOf(join(root, name)) !== 'kept',
      ),
  },
  {
    name: 'names that are not UTF-8',
    prepare: ({ root }) => {
      const raw = (text: string): Buffer => Buffer.concat([Buffer.from(`${root}/`), Buffer.from(text, 'latin1')]);
      writeFileSync(raw('caf\xe9.sqlite'), 'kept');
    },
    commands: () => ['for f in *.sqlite; do echo x > "$f"; done; true'],
    isOut: ({ root }) =>
      readFileSync(Buffer.concat([Buffer.from(`${root}/`), Buffer.from('caf\xe9.sqlite', 'latin1')]), 'utf8') !== 'kept',
  },
  {
    name: 'very long paths',
    prepare: async ({ write }) => {
      await write(`work/${'long-name/'.repeat(60)}.env`, 'planted-7c41');
      await write(`work/${'long-name/'.repeat(60)}a.sqlite`, 'kept');
    },
    commands: () => ['find . -name .env -exec cat {} +; find . -name a.sqlite -exec sh -c \'echo x > "$1"\' - {} \\;; true'],
    isOut: ({ root }) => textOf(join(root, `${'long-name/'.repeat(60)}a.sqlite`)) !== 'kept',
  },
  {
    name: 'an ignored link, whose target no checkpoint has',
    prepare: ({ root, home }) => symlinkSync(join(home, 'other'), join(root, 'db.sqlite')),
    commands: () => ['rm db.sqlite; echo x > db.sqlite'],
    isOut: ({ root }) => !lstatSync(join(root, 'db.sqlite')).isSymbolicLink(),
  },
  {
    name: 'a read-only folder without permissions',
    prepare: ({ root }) => chmodSync(join(root, 'data'), 0o777),
    commands: () => [
      'chmod 000 data .env keep; chown 1 data; touch -d 2001-01-01 data/kept.db; setfattr -n user.x -v y data/kept.db; chmod 755 keep',
    ],
    isOut: ({ root }) =>
      (lstatSync(join(root, 'data')).mode & 0o777) !== 0o777 || lstatSync(join(root, 'data/kept.db')).mtimeMs < 1e12,
  },
];
