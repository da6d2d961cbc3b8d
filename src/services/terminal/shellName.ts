import { posix, win32 } from 'node:path';

/** What a shell's program is called, without its folder and what Windows adds: `zsh`, `powershell`; empty where it is not known. */
export function shellName(file: string, platform: NodeJS.Platform = process.platform): string {
  return platform === 'win32'
    ? win32
        .basename(file)
        .replace(/\.exe$/i, '')
        .toLowerCase()
    : posix.basename(file);
}

const systems: Partial<Record<NodeJS.Platform, string>> = { darwin: 'macOS', linux: 'Linux', win32: 'Windows' };

/** What a command line is written for, in words: `bash on Linux`. */
export function describeShell(file: string, platform: NodeJS.Platform = process.platform): string {
  return `${shellName(file, platform) || 'the shell of the user'} on ${systems[platform] ?? platform}`;
}
