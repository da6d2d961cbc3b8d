/** Settings and permissions of a single session. */
const sessionSettings = [
  ...['auto_approve_commands', 'auto_approve_sensitive_edits', 'allowed_commands', 'sensitive_file_patterns', 'explorer_model'],
  ...['autoApproveCommands', 'autoApproveSensitiveEdits', 'sensitiveFilePatterns', 'explorerModel', 'sandbox'],
];

/** Lists the kinds of data in a row of `sessions` or a `session.json` that are not imported. */
export function skippedData(session: Record<string, unknown>): string[] {
  const kinds: string[] = [];
  if ([session.session_memory, session.sessionMemory].some(isFilled)) kinds.push('memory');
  if (sessionSettings.some((name) => isFilled(session[name]))) kinds.push('settings');
  return kinds;
}

const emptyValues = new Set(['', '{}', '[]', 'null']);

function isFilled(value: unknown): boolean {
  if (typeof value === 'object' && value !== null) return !emptyValues.has(JSON.stringify(value));
  return typeof value === 'string' ? !emptyValues.has(value.trim()) : Boolean(value);
}
