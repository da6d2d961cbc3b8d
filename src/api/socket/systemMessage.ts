import type { Entry } from '../../protocol/entries';

/** Returns the text and data of an entry that a transcript contains as a system message. */
export function toSystemMessage(entry: Entry): { content: string; systemData: Record<string, unknown> } {
  return {
    content: entry.content === '' ? describeEntry(entry) : entry.content,
    systemData: { kind: entry.type, ...entry.data },
  };
}

function describeEntry(entry: Entry): string {
  switch (entry.type) {
    case 'approval': {
      const { phase, kind, command, path, decision } = entry.data;
      const about = command ?? path ?? kind;
      return phase === 'requested' ? `Approval requested: ${about}` : `Approval ${decision ?? 'cancelled'}`;
    }
    case 'review':
      return `${entry.data.action}: ${entry.data.paths.join(', ')}`;
    case 'restore':
      return `Restored: ${entry.data.paths.join(', ')}`;
    case 'checkpoint':
      return entry.data.title;
    case 'run_end':
      return `Run ended: ${entry.data.outcome}`;
    case 'subagent_step':
      return entry.data.label ?? entry.data.name;
    default:
      return entry.type.replaceAll('_', ' ');
  }
}
