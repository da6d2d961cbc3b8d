import { posix, win32 } from 'node:path';

/**
 * Returns the name of a shell's program without its folder and Windows' `.exe`: `zsh`, `powershell`; empty if it is not
 * known.
 */
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
 * Describes in words what command lines are written for: `zsh on macOS`. `file` is the shell of a terminal, empty if it
 * is not known;
 * `hidden` is the one that runs what no terminal can, and is named if it is another.
 */
export function describeShell(file: string, hidden: string, platform: NodeJS.Platform = process.platform): string {
  const [shown, other] = [file || hidden, hidden].map((shell) => shellName(shell, platform));
  const place = `${shown} on ${systems[platform] ?? platform}`;
  return shown === other ? place : `${place}; those of several lines and those in the background in ${other}`;
}
