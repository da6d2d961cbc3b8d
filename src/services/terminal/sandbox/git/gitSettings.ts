import { lstat, readFile, realpath, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { isHarmlessSetting } from '../../judge/harmlessSettings';
import type { SandboxMount } from '../sandboxPolicy';
import { listSettings } from './settingList';

const files = ['.gitconfig', '.config/git/config'];

/**
 * Copies of the user's Git settings for the sandbox. They contain the user's name, email address and behavior settings. They omit
 * settings that may contain a token (`http`, `url`, `credential`), and settings that `isHarmlessSetting` rejects because they may
 * name a program.
 */
export class GitSettingCopies {
  /** Source text of each copy, by the path of the copy. */
  private readonly copied = new Map<string, string>();

  /** Writes the copies to `folder`, unless they are up to date. */
  async mounts(folder: string, git: string | null, home = homedir()): Promise<SandboxMount[]> {
    const mounts: SandboxMount[] = [];
    for (const [index, name] of files.entries()) {
      const own = join(home, name);
      if ((await lstat(own).catch(() => null)) === null) continue;
      const from = join(folder, `gitconfig-${index}`);
      await this.write(from, git, own);
      mounts.push({ from, to: await realpath(own).catch(() => own), isWritable: false });
    }
    return mounts;
  }

  private async write(copy: string, git: string | null, own: string): Promise<void> {
    // Read the text first. If the file changes while Git reads it, the next text differs.
    const text = git === null ? null : await readFile(own, 'utf8').catch(() => null);
    if (text !== null && this.copied.get(copy) === text && (await lstat(copy).catch(() => null)) !== null) return;
    this.copied.delete(copy);
    await writeFile(copy, git === null ? '' : await harmlessText(git, own));
    // Do not cache settings with includes, because an included file can change separately.
    if (text !== null && !/include/i.test(text)) this.copied.set(copy, text);
  }
}

async function harmlessText(git: string, file: string): Promise<string> {
  const settings = (await listSettings(git, file, true)) ?? [];
  const harmless = settings.filter(({ key }) => isHarmlessSetting(key) && !key.startsWith('remote.'));
  return harmless.map(({ key, value }) => formatSection(key, value ?? 'true')).join('');
}

/** Formats one setting in the syntax of git-config(1). */
function formatSection(key: string, value: string): string {
  const first = key.indexOf('.');
  const last = key.lastIndexOf('.');
  const quoted = (text: string) => `"${text.replace(/[\\"]/g, '\\$&').replace(/\n/g, '\\n').replace(/\t/g, '\\t')}"`;
  const section = first === last ? key.slice(0, first) : `${key.slice(0, first)} ${quoted(key.slice(first + 1, last))}`;
  return `[${section}]\n\t${key.slice(last + 1)} = ${quoted(value)}\n`;
}
