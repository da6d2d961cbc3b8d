import { lstatSync } from 'node:fs';
import { mkdir, readdir } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { AsyncMutex } from '../../../../utils/asyncMutex';
import { CancelledError, throwIfAborted } from '../../../../utils/errors';
import { isInside } from '../../../../utils/files/isInside';
import { t } from '../../../../utils/l10n';
import type { SandboxMount } from '../sandboxPolicy';
import { copyFolder, removeUnfinished, sizeOfFolder } from './copyFolder';
import type { PackageTool } from './packageTools';

/** Folders in the home folder to which package managers and compilers write during a build. */
const written: Readonly<Record<string, PackageTool>> = {
  '.local/share/pnpm/store': 'node',
  '.bun/install/cache': 'node',
  '.cargo/registry': 'rust',
  '.cargo/git': 'rust',
  '.m2/repository': 'java',
  '.gradle/caches': 'java',
  '.nuget/packages': 'dotnet',
  'go/pkg/mod': 'go',
};
/** Folders in `~/.cache` to which the same tools write during a build. */
const writtenInCache: Readonly<Record<string, PackageTool>> = {
  pip: 'python',
  uv: 'python',
  'pre-commit': 'python',
  deno: 'deno',
  yarn: 'node',
  'node-gyp': 'node',
  node: 'node',
  pnpm: 'node',
};
/** Folders in `~/.cache` that are not copied. Tools recreate them, and they would often be too large. */
const madeAgain: ReadonlySet<string> = new Set(['go-build', 'ccache', 'sccache']);
/** Maximum size of a cache to copy, in bytes and in files. */
const maxBytes = 512 * 1024 ** 2;
const maxFiles = 20_000;
/** Milliseconds of copying before the user is notified. */
const noticeMs = 1000;

export interface PackageCaches {
  mounts: readonly SandboxMount[];
  /** Variables for tools whose usual folder does not exist yet. */
  variables: Readonly<Record<string, string>>;
}

interface Cache {
  own: string;
  copy: string;
  tool: PackageTool;
}

export interface CacheNeeds {
  /** Tools that the workspace or the command uses. */
  tools: ReadonlySet<PackageTool>;
  signal: AbortSignal;
  /** Receives a message about the copy in progress, then null. Not called for a short copy. */
  onNote?: ((note: string | null) => void) | undefined;
}

interface CopyOptions {
  home?: string;
  /** Maximum size of a cache in bytes. */
  limit?: number;
  noticeMs?: number;
}

/**
 * Private copies of the user's package caches. With them, a command cannot change packages of other projects, and does not fail
 * because of missing write access. Each cache is copied once per workspace, when a tool needs it. If there is no copy of a cache,
 * the user's own cache is mounted read-only.
 */
export class CacheCopies {
  private readonly turn = new AsyncMutex();
  /** Copies that cannot be made, because the cache is too large or not readable. */
  private readonly refused = new Set<string>();
  /** Copies of caches to which commands failed to write. */
  private readonly wanted = new Set<string>();
  private readonly home: string;
  private readonly limit: number;
  private readonly noticeMs: number;

  constructor(
    private readonly folder: string,
    /** Path of cp(1). Null if there is none. */
    private readonly cp: string | null,
    options: CopyOptions = {},
  ) {
    this.home = options.home ?? homedir();
    this.limit = options.limit ?? maxBytes;
    this.noticeMs = options.noticeMs ?? noticeMs;
  }

  /** Copies missing caches. Rejects with `CancelledError` when the signal fires. */
  async prepare(needs: CacheNeeds): Promise<PackageCaches> {
    if (this.missing(needs.tools).length > 0) await this.copyInTurn(needs);
    return this.mounted();
  }

  /** Remembers the caches to which a command failed to write, so that the next command has copies of them. */
  noteDenied(paths: readonly string[]): void {
    for (const { own, copy } of this.all()) if (paths.some((path) => isInside(path, own))) this.wanted.add(copy);
  }

  private all(): Cache[] {
    const { folder, home } = this;
    return [
      { own: join(home, '.npm/_cacache'), copy: join(folder, 'npm-cacache'), tool: 'node' },
      ...Object.entries(writtenInCache).map(([name, tool]) => ({
        own: join(home, '.cache', name),
        copy: join(folder, `cache-${name}`),
        tool,
      })),
      ...Object.entries(written).map(([inside, tool]) => ({
        own: join(home, inside),
        copy: join(folder, inside.replaceAll('/', '-')),
        tool,
      })),
    ];
  }

  private missing(tools: CacheNeeds['tools']): Cache[] {
    const found: Cache[] = [];
    for (const cache of this.cp === null ? [] : this.all()) {
      const isNeeded = (tools.has(cache.tool) || this.wanted.has(cache.copy)) && !this.refused.has(cache.copy);
      if (isNeeded && !isFolder(cache.copy) && isFolder(cache.own)) found.push(cache);
    }
    return found;
  }

  /** Copies the caches of one command at a time. The signal of a waiting command also ends its wait. */
  private async copyInTurn({ tools, signal, onNote = () => undefined }: CacheNeeds): Promise<void> {
    throwIfAborted(signal);
    let note = t('Copying package caches for the sandbox…');
    let isShown = false;
    const timer = setTimeout(() => {
      isShown = true;
      onNote(note);
    }, this.noticeMs);
    const cancelled = new Promise<never>((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new CancelledError()), { once: true });
    });
    const onSize = (bytes: number): void => {
      note = t('Copying package caches for the sandbox ({0} MB)…', Math.max(1, Math.round(bytes / 1e6)));
      if (isShown) onNote(note);
    };
    try {
      await Promise.race([this.turn.runExclusive(() => this.copyMissing(tools, signal, onSize)), cancelled]);
    } finally {
      clearTimeout(timer);
      if (isShown) onNote(null);
    }
  }

  private async copyMissing(tools: CacheNeeds['tools'], signal: AbortSignal, onSize: (bytes: number) => void): Promise<void> {
    throwIfAborted(signal);
    await removeUnfinished(this.folder);
    const sized: { cache: Cache; bytes: number }[] = [];
    // Checks again, because another command may have copied the caches meanwhile.
    for (const cache of this.missing(tools)) {
      const bytes = await sizeOfFolder(cache.own, { bytes: this.limit, files: maxFiles });
      throwIfAborted(signal);
      if (bytes === null) this.refused.add(cache.copy);
      else sized.push({ cache, bytes });
    }
    onSize(sized.reduce((sum, { bytes }) => sum + bytes, 0));
    for (const { cache } of sized)
      if (this.cp !== null && !(await copyFolder(this.cp, cache.own, cache.copy, signal))) this.refused.add(cache.copy);
  }

  private async mounted(): Promise<PackageCaches> {
    const { folder, home } = this;
    const cacheHome = join(home, '.cache');
    const hasCache = isFolder(cacheHome);
    const hasNpm = isFolder(join(home, '.npm'));
    const mounts = [
      ...(hasCache ? await mountsInCache(folder, cacheHome) : []),
      // npm writes logs and temporary files next to its cache.
      ...(hasNpm ? [await topMount(join(folder, '.npm'), join(home, '.npm'))] : []),
    ];
    for (const { own, copy } of this.all()) {
      if (!isFolder(own)) continue;
      if (isFolder(copy)) mounts.push({ from: copy, to: own, isWritable: true });
      // Without a copy, npm can only read its cached packages.
      else if (isInside(own, join(home, '.npm'))) mounts.push({ from: own, to: own, isWritable: false });
    }
    return {
      mounts,
      variables: {
        ...(!hasCache && { XDG_CACHE_HOME: '/tmp/.cache', GOCACHE: '/tmp/.cache/go-build' }),
        ...(!hasNpm && { npm_config_cache: '/tmp/.npm' }),
      },
    };
  }
}

/** Mounts the folders in `~/.cache` read-only in a private folder. Later mounts replace the folders that have a copy. */
async function mountsInCache(folder: string, cacheHome: string): Promise<SandboxMount[]> {
  const entries = await readdir(cacheHome, { withFileTypes: true });
  const shown = entries.filter((entry) => entry.isDirectory() && !madeAgain.has(entry.name));
  const top = await topMount(join(folder, '.cache'), cacheHome);
  return [top, ...shown.map(({ name }) => ({ from: join(cacheHome, name), to: join(cacheHome, name), isWritable: false }))];
}

async function topMount(from: string, to: string): Promise<SandboxMount> {
  if (!isFolder(from)) await mkdir(from, { recursive: true });
  return { from, to, isWritable: true };
}

function isFolder(path: string): boolean {
  try {
    return lstatSync(path, { throwIfNoEntry: false })?.isDirectory() === true;
  } catch {
    return false;
  }
}
