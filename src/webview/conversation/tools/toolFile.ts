import { readFacts } from '../../../protocol/legacyTools';
import type { ToolAction } from '../../../protocol/timeline';
import type { FileLocation } from '../../types';

/** Returns the file of a call. Returns null if there is no file or the file was deleted. */
export function findToolFile(action: ToolAction): FileLocation | null {
  const { about } = readFacts(action);
  if (about?.kind !== 'file') return null;
  const details = action.result?.details ?? {};
  const path = [
    action.edits[0]?.newPath,
    details['path'],
    action.edits[0]?.path,
    about.to === undefined ? undefined : action.input[about.to],
    action.input[about.argument],
  ].find((value): value is string => typeof value === 'string' && value !== '');
  if (path === undefined) return null;
  const startLine = readLine(details['startLine'] ?? action.input['startLine']);
  const endLine = readLine(details['endLine'] ?? action.input['endLine']);
  return { path, ...(startLine === null ? {} : { startLine }), ...(endLine === null ? {} : { endLine }) };
}

function readLine(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : null;
}
