import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { homedir } from 'node:os';
import type { Project, Source } from './projects';

/** Version of pnpm that the projects use. */
const pnpm = 'pnpm@10.12.1';
/** Fixed date, so that commits have the same hash each time. */
const date = '2024-01-01T12:00:00Z';

/** Folders for the everyday commands. They are prepared once, and have a separate home folder for the caches of package managers. */
export class ProjectFolders {
  readonly home: string;
  readonly storage: string;
  /** Environment for commands outside the sandbox. The sandbox gets the same. */
  readonly env: NodeJS.ProcessEnv;

  constructor(private readonly base: string) {
    this.home = join(base, 'home');
    this.storage = join(base, 'storage');
    const path = (process.env['PATH'] ?? '').split(delimiter).filter((folder) => !folder.includes('node_modules'));
    const kept = Object.entries(process.env).filter(
      ([name]) => !/^(npm_|NODE_(OPTIONS|PATH|ENV)$|INIT_CWD|VSCODE_|TMPDIR$|SEED$)/i.test(name),
    );
    this.env = {
      ...Object.fromEntries(kept),
      RUSTUP_HOME: process.env['RUSTUP_HOME'] ?? join(homedir(), '.rustup'),
      HOME: this.home,
      PATH: [join(base, 'tools', 'node_modules', '.bin'), ...path].join(delimiter),
      GIT_AUTHOR_DATE: date,
      GIT_COMMITTER_DATE: date,
      GIT_CONFIG_NOSYSTEM: '1',
      GIT_PAGER: 'cat',
      TZ: 'UTC',
      LC_ALL: 'C.UTF-8',
    };
    mkdirSync(this.home, { recursive: true });
    rmSync(this.storage, { recursive: true, force: true });
    writeFileSync(
      join(this.home, '.gitconfig'),
      '[user]\n\tname = Ann\n\temail = ann@example.org\n[init]\n\tdefaultBranch = main\n[gc]\n\tauto = 0\n',
    );
  }

  /** Returns the programs that a project needs but this machine does not have. */
  missing({ needs }: Project): string[] {
    return needs.filter((program) => !this.succeeds(program, ['--version']) && !this.succeeds(program, ['version']));
  }

  /** Fetches the sources of a project and fills the caches, unless this is already done. Needs a network the first time. */
  prepare(project: Project): void {
    const pristine = this.pristine(project);
    const ready = `${pristine}.ready`;
    const key = createHash('sha256')
      .update(JSON.stringify({ ...project, commands: [], pnpm }))
      .digest('hex');
    if (existsSync(ready) && readFileSync(ready, 'utf8') === key) return;
    this.installTools();
    const folder = this.workspace(project);
    for (const old of [ready, pristine, dirname(folder)]) rmSync(old, { recursive: true, force: true });
    mkdirSync(folder, { recursive: true });
    this.fetch(project.source, folder);
    for (const [path, text] of Object.entries(project.files ?? {})) writeFileSync(join(folder, path), text);
    this.run(
      'git init -q && git add -A -f && git commit -q -m "First" && echo >> README.md && git add -A && git commit -q -m "Second"',
      folder,
    );
    for (const command of project.prepare) this.run(command, folder);
    if (project.prepare.length > 0) this.run('git add -A && git diff --cached --quiet || git commit -q -m "Third"', folder);
    cpSync(dirname(folder), pristine, { recursive: true, verbatimSymlinks: true, preserveTimestamps: true });
    writeFileSync(ready, key);
  }

  /** Resets a project to its state before the commands. Returns its folder. */
  reset(project: Project): string {
    const folder = this.workspace(project);
    rmSync(dirname(folder), { recursive: true, force: true });
    mkdirSync(dirname(dirname(folder)), { recursive: true });
    execFileSync('cp', ['-a', this.pristine(project), dirname(folder)]);
    return folder;
  }

  private workspace({ name }: Project): string {
    return join(this.base, 'work', slug(name), 'project');
  }

  private pristine({ name }: Project): string {
    return join(this.base, 'pristine', slug(name));
  }

  private installTools(): void {
    const tools = join(this.base, 'tools');
    if (existsSync(join(tools, 'node_modules', '.bin', 'pnpm'))) return;
    mkdirSync(tools, { recursive: true });
    this.run(`npm install --silent --prefix "${tools}" ${pnpm}`, tools);
  }

  private fetch(source: Source, folder: string): void {
    const fetched = join(dirname(folder), 'fetched');
    mkdirSync(fetched, { recursive: true });
    if ('npm' in source)
      this.run(`npm pack --silent ${source.npm} && tar xzf *.tgz -C "${folder}" --strip-components=1`, fetched);
    else if ('pypi' in source)
      this.run(
        `python3 -m pip download -q --no-deps --no-binary :all: ${source.pypi} && tar xzf *.tar.gz -C "${folder}" --strip-components=1`,
        fetched,
      );
    else if ('go' in source) {
      const { Dir } = JSON.parse(this.run(`go mod download -json ${source.go}`, fetched)) as { Dir: string };
      this.run(`cp -r "${Dir}/." "${folder}" && chmod -R u+w "${folder}"`, fetched);
    } else {
      const [name = '', version = ''] = source.crate.split('@');
      this.run(`cargo init -q --vcs none --name fetched . && cargo add -q ${name}@=${version} && cargo fetch -q`, fetched);
      const [found = ''] = globSync(join(this.home, `.cargo/registry/src/*/${name}-${version}*`));
      this.run(
        `cp -r "${join(found, source.folder ?? '')}/." "${folder}" && rm -f "${folder}"/.cargo-ok "${folder}"/Cargo.toml.orig`,
        fetched,
      );
    }
    rmSync(fetched, { recursive: true });
  }

  private run(command: string, cwd: string): string {
    return execFileSync('/bin/bash', ['-ec', command], {
      cwd,
      env: this.env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  }

  private succeeds(program: string, args: string[]): boolean {
    try {
      execFileSync(program, args, { env: this.env, stdio: 'ignore' });
      return true;
    } catch {
      return false;
    }
  }
}

function slug(name: string): string {
  return name.replaceAll(/[^a-z]+/g, '-');
}
