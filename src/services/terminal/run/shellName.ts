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

/**
 * What command lines are written for, in words: `zsh on macOS`. `file` is the shell of a terminal, empty where it is not known; `hidden` the
 * one that runs what no terminal can, where that is another.
 */
export function describeShell(file: string, hidden: string, platform: NodeJS.Platform = process.platform): string {
  const [shown, other] = [file || hidden, hidden].map((shell) => shellName(shell, platform));
  const place = `${shown} on ${systems[platform] ?? platform}`;
  return shown === other ? place : `${place}; those of several lines and those in the background in ${other}`;
}
