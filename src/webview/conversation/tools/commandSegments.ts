import type { ApprovalRequest, Severity } from '../../../protocol/timeline';

export interface CommandSegment {
  text: string;
  /** Severity. Null for text between the parts. */
  severity: Severity | null;
}

/** Splits a command into segments, each with a severity. Joined together, they are always exactly the command. */
export function commandSegments(command: string, parts: NonNullable<ApprovalRequest['parts']>): CommandSegment[] {
  const segments: CommandSegment[] = [];
  let at = 0;
  for (const { text, severity } of parts) {
    const start = text === '' ? -1 : command.indexOf(text, at);
    if (start < 0) continue;
    if (start > at) segments.push({ text: command.slice(at, start), severity: null });
    segments.push({ text, severity });
    at = start + text.length;
  }
  if (at < command.length) segments.push({ text: command.slice(at), severity: null });
  return segments;
}
