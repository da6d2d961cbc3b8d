import { posix, win32 } from 'node:path';

/**
 * Returns the name of a shell without its folder and `.exe`, such as
 * `zsh` or `powershell`. Returns an empty string for an unknown shell.
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
 * Returns a description of the shell for the model, such as `zsh on macOS`. `file` is the shell of the terminal, or empty if
 * unknown. `hidden` is the shell for commands without a terminal. The description names it only if it is a different shell.
 */
export function describeShell(file: string, hidden: string, platform: NodeJS.Platform = process.platform): string {
  const [shown, other] = [file || hidden, hidden].map((shell) => shellName(shell, platform));
  const place = `${shown} on ${systems[platform] ?? platform}`;
  return shown === other ? place : `${place}; those of several lines and those in the background in ${other}`;
}
