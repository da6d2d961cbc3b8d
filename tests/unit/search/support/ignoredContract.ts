import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const everywhere = ['a.txt', 'b.LOG', 'part/c.txt', 'part/own/d.txt', 'part/e.log', 'mine/f.txt', 'g.local', 'part/Secret/h.txt'];

/** Repositories with ignore rules in different places. Each function returns the workspace folder. */
const repositories: Record<string, (home: Home) => string> = {
  'the file of a person that git looks for by itself': (home) => {
    home.put('.config/git/ignore', '*.local\n/mine/\n');
    return home.repository('one');
  },
  'the file that a person names in their settings': (home) => {
    home.put('.config/git/ignore', '*\n');
    home.put('.gitconfig', '[core]\n\texcludesFile = ~/named\n');
    home.put('named', '*.local\n/mine\n/part/own/\n');
    return home.repository('one');
  },
  'the file that the settings of a repository name, in a file that those include': (home) => {
    const folder = home.repository('one');
    home.put('included', '[core]\n\texcludesfile = ~/named\n');
    home.put('named', '*.LOG\n*.log\n!part/e.log\n');
    home.git(folder, 'config', 'include.path', path.join(home.folder, 'included'));
    return folder;
  },
  'rules in which case does not count': (home) => {
    const folder = home.repository('one');
    home.git(folder, 'config', 'core.ignorecase', 'true');
    home.put('one/.gitignore', '*.log\nsecret/\n');
    home.put('one/.git/info/exclude', '/MINE\n');
    home.put('.config/git/ignore', '*.LOCAL\n');
    home.git(folder, 'add', '-f', 'part/Secret/h.txt');
    return folder;
  },
  'the rules of a second working tree, which lie in the first': (home) => {
    const first = home.repository('one');
    home.git(first, 'add', 'a.txt');
    home.git(first, '-c', 'user.name=a', '-c', 'user.email=a@b.c', 'commit', '-qm', 'one');
    home.put('one/.git/info/exclude', '*.local\n/part/own\n');
    const second = path.join(home.folder, 'second');
    home.git(first, 'worktree', 'add', '-q', second);
    home.put('second/.gitignore', '/mine/\n');
    home.fill('second');
    return second;
  },
  'the rules above a folder of a repository': (home) => {
    const folder = home.repository('one');
    home.put('one/.git/info/exclude', '/part/own/\n');
    home.put('.config/git/ignore', '/part/c.txt\n');
    home.put('one/.gitignore', '/part/*.log\n');
    return path.join(folder, 'part');
  },
  'a file that is named from the top of the working tree': (home) => {
    const folder = home.repository('one');
    home.put('one/.mine', '*.local\n/mine/\n');
    home.git(folder, 'config', 'core.excludesFile', '.mine');
    return folder;
  },
  'rules for what is tracked all the same': (home) => {
    const folder = home.repository('one');
    home.put('one/.gitignore', 'part/\n*.local\n*.LOG\n');
    home.git(folder, 'add', '-f', 'g.local', 'part/own/d.txt');
    home.put('outside/secret.txt', 'needle\n');
    symlinkSync(path.join(home.folder, 'outside', 'secret.txt'), path.join(folder, 'link.local'));
    symlinkSync(path.join(home.folder, 'outside'), path.join(folder, 'linked.local'));
    home.git(folder, 'add', '-f', 'link.local', 'linked.local');
    return folder;
  },
};

/** Temporary home folder for git and the tools. */
class Home {
  readonly folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'ollama-copilot-home-')));
  private readonly before = { ...process.env };

  constructor() {
    const own = { HOME: this.folder, USERPROFILE: this.folder, XDG_CONFIG_HOME: undefined };
    for (const [name, value] of Object.entries(own)) {
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
  }

  put(file: string, content: string): void {
    mkdirSync(path.dirname(path.join(this.folder, file)), { recursive: true });
    writeFileSync(path.join(this.folder, file), content);
  }

  fill(folder: string): void {
    for (const file of everywhere) this.put(path.join(folder, file), 'needle\n');
  }

  repository(name: string): string {
    this.fill(name);
    this.git(path.join(this.folder, name), 'init', '-q');
    return path.join(this.folder, name);
  }

  git(cwd: string, ...args: string[]): string {
    return execFileSync('git', args, { cwd, encoding: 'utf8' });
  }

  dispose(): void {
    for (const name of ['HOME', 'USERPROFILE', 'XDG_CONFIG_HOME']) {
      const value = this.before[name];
      if (value === undefined) delete process.env[name];
      else process.env[name] = value;
    }
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** Tests that a file listing follows git's ignore rules. `files` returns the listed files; each contains `needle`. */
export function ignoredContract(name: string, files: (folder: string) => Promise<Iterable<string>>): void {
  describe(`what git leaves out, ${name} too`, () => {
    let home: Home;
    beforeEach(() => void (home = new Home()));
    afterEach(() => home.dispose());

    for (const [title, make] of Object.entries(repositories)) {
      it(`by ${title}`, async () => {
        const folder = make(home);
        const listed = home.git(folder, 'ls-files', '-z', '-co', '--exclude-standard').split('\0');
        // Tracked files that match ignore rules are also checked.
        const forced = new Set(home.git(folder, 'ls-files', '-z', '-ci', '--exclude-standard').split('\0'));
        const wanted = listed.filter(
          (file) => !forced.has(file) && everywhere.some((one) => one === file || one === `part/${file}`),
        );
        const expected = wanted.sort();
        const all = everywhere.filter((file) => path.basename(folder) !== 'part' || file.startsWith('part/'));
        assert.ok(expected.length > 0 && expected.length < all.length, 'git leaves some of them out, and not all');
        const found = [...(await files(folder))].filter((file) => !['.gitignore', '.mine'].includes(path.basename(file)));
        assert.deepEqual(found.sort(), expected);
      });
    }
  });
}
