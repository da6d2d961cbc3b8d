import type { ToolAction } from '../../../protocol/timeline';
import type { FileLocation } from '../../types';
import { isFileTool } from './toolTitle';

/** The file a call is about, or null when it is about none or about one that is gone. */
export function fileOf(action: ToolAction): FileLocation | null {
  if (!isFileTool(action.name) || action.name === 'delete_file') return null;
  const details = action.result?.details ?? {};
  const path = [
    action.edits[0]?.newPath,
    details['path'],
    action.edits[0]?.path,
    action.input['newPath'],
    action.input['path'],
  ].find((value): value is string => typeof value === 'string' && value !== '');
  if (path === undefined) return null;
  const startLine = lineOf(details['startLine'] ?? action.input['startLine']);
  const endLine = lineOf(details['endLine'] ?? action.input['endLine']);
  return { path, ...(startLine === null ? {} : { startLine }), ...(endLine === null ? {} : { endLine }) };
}

function lineOf(value: unknown): number | null {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 ? value : null;
}
