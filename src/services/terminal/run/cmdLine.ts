/** Full path, because cmd searches the current folder for programs first. */
const useUtf8 = '"%SystemRoot%\\System32\\chcp.com" 65001 >nul 2>nul';

/**
 * Returns the line to pass to cmd on Windows for a command. `cmd /c` ignores everything after the first line, so lines are
 * joined. The output is UTF-8 instead of the code page of the system.
 */
export function cmdLine(command: string): string {
  const lines = command.replace(/\^\r?\n/g, '').split(/[\r\n]+/);
  return [useUtf8, ...lines.map((line) => line.trim()).filter((line) => line !== '')].join(' & ');
}
