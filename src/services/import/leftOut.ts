/** Names of the permissions and other settings of a single session. */
const settings = [
  ...['auto_approve_commands', 'auto_approve_sensitive_edits', 'allowed_commands', 'sensitive_file_patterns', 'explorer_model'],
  ...['autoApproveCommands', 'autoApproveSensitiveEdits', 'sensitiveFilePatterns', 'explorerModel'],
];

/** Lists the kinds of data in a row of `sessions` or a `session.json` that are not imported. */
export function leftOutOf(session: Record<string, unknown>): string[] {
  const kinds: string[] = [];
  if ([session.session_memory, session.sessionMemory].some(isFilled)) kinds.push('memory');
  if (settings.some((name) => isFilled(session[name]))) kinds.push('settings');
  return kinds;
}

const nothing = new Set(['', '{}', '[]', 'null']);

function isFilled(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return !nothing.has(JSON.stringify(value));
  return typeof value === 'string' ? !nothing.has(value.trim()) : Boolean(value);
}
