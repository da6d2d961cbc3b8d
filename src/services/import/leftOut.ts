/** What a session was allowed, and what else was set for it alone. */
const settings = [
  ...['auto_approve_commands', 'auto_approve_sensitive_edits', 'allowed_commands', 'sensitive_file_patterns', 'explorer_model'],
  ...['autoApproveCommands', 'autoApproveSensitiveEdits', 'sensitiveFilePatterns', 'explorerModel'],
];

/** What a row of `sessions` or a `session.json` has that is not imported, by kind. */
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
