import { statSync } from 'node:fs';
import { exportFormat, exportVersion } from '../../protocol/exportedSession';
import { isRecord } from '../../utils/json';
import { ExportedLog } from './exportedSession';
import { describedHead, type ImportSource } from './importedEntry';
import { textOrNull } from './importedValues';
import { readJsonLines } from './jsonLines';

/**
 * Creates the source for a session that was exported as JSON lines in one file. The first line describes the session, and each
 * further line is an entry. Older exports contain only the entries. Returns null if the first line has neither format.
 */
export function exportedLinesSource(file: string): ImportSource | null {
  const head = readHead(file);
  if (head === null) return null;
  const { id, session } = head;
  return {
    format: 'exported',
    place: file,
    file,
    id,
    size: statSync(file).size,
    read: (sink) => {
      const log = new ExportedLog(sink);
      for (const line of readJsonLines(file, (bytes) => sink.onRead(bytes))) {
        if ('problem' in line) sink.issue(line.number, line.problem);
        else if (isRecord(line.value) && isRecord(line.value.ollamaCopilot)) log.add(line.value.ollamaCopilot, line.number);
        else if (line.number > 1) sink.issue(line.number, 'unknownForm');
      }
      return { ...describedHead(session, log.title), status: 'idle' };
    },
  };
}

function readHead(file: string): { id: string; session: Record<string, unknown> } | null {
  for (const line of readJsonLines(file, () => undefined)) {
    if ('problem' in line || !isRecord(line.value)) return null;
    const { format, version, session, sessionId, ollamaCopilot } = line.value;
    const isHead = format === exportFormat && version === exportVersion && isRecord(session);
    const id = textOrNull(isHead ? session.id : isRecord(ollamaCopilot) ? sessionId : null);
    return id === null ? null : { id, session: isHead ? session : {} };
  }
  return null;
}
