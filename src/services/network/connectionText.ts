import type { ConnectionRecord } from '../../protocol/requests/connectionRequests';

const columns = [
  ...(['at', 'direction', 'purpose', 'detail', 'host', 'address'] as const),
  ...(['sent', 'received', 'sessionId', 'state', 'isSandboxed'] as const),
];

/** Returns records as a JSON array or a CSV table (RFC 4180). Times are in UTC (ISO 8601). */
export function connectionText(records: readonly ConnectionRecord[], format: 'json' | 'csv'): string {
  const rows = records.map((record) => ({ ...record, at: new Date(record.at).toISOString() }));
  if (format === 'json') return `${JSON.stringify(rows, null, 2)}\n`;
  const lines = [columns.join(','), ...rows.map((row) => columns.map((column) => cell(row[column])).join(','))];
  return `${lines.join('\r\n')}\r\n`;
}

function cell(value: string | number | boolean | null | undefined): string {
  if (value === null || value === undefined) return '';
  // A spreadsheet would run text that begins like a formula, so add an apostrophe.
  const text = typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : String(value);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
