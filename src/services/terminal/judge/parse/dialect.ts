import type { Dialect } from './script';

/** Returns the shells for which a command may be written, most likely first. The judge parses the command in each dialect. */
export function guessDialects(command: string, isWindows: boolean): Dialect[] {
  const isPowershell =
    /(^|[;|&({=]\s*)(&\s*)?(?!(apt|docker|ssh|git|pre|is|npm|x)-)[A-Za-z]{2,}-[A-Z][A-Za-z]{2,}\b/.test(command) ||
    /(^|[;|&({]\s*)(iex|irm|iwr|gci|ri|gc|sls|icm|saps|spps|del|erase|rd|copy|move|type|dir)\s/i.test(command) ||
    /\|\s*(%|\?|foreach|where)(\s*\{|\s)/i.test(command) ||
    /\[[A-Za-z.]+\]::|\$env:|\$_\.|(^|[\s"'=/])[A-Za-z]:\\/.test(command);
  if (isPowershell) return ['powershell', 'bash'];
  return isWindows ? ['bash', 'powershell'] : ['bash'];
}
