/** Full path, because cmd looks for programs in the current folder first. */
const useUtf8 = '"%SystemRoot%\\System32\\chcp.com" 65001 >nul 2>nul';

/**
 * Returns the line that cmd of Windows runs for a command. `cmd /c` ignores everything after the first line, so lines are joined. Output is
 * UTF-8 instead of the code page of the system.
 */
export function cmdLine(command: string): string {
  const lines = command.replace(/\^\r?\n/g, '').split(/[\r\n]+/);
  return [useUtf8, ...lines.map((line) => line.trim()).filter((line) => line !== '')].join(' & ');
}
