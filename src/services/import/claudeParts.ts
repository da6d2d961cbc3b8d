import path from 'node:path';
import type { EntryInput } from '../../protocol/entries';
import { readCount, textOrNull } from './importedValues';
import { isRecord } from '../../utils/json';
import { shortened } from '../../types/cutText';

/** Returns the text of a message or a result. Replaces other parts with their names. Returns null for an unknown format. */
export function textOfParts(content: unknown): string | null {
  if (content === undefined || content === null) return '';
  if (typeof content === 'string') return content;
  if (!Array.isArray(content)) return null;
  const texts = content.map((part) => textOfPart(part));
  return texts.includes(null) ? null : texts.join('\n\n');
}

/** Returns the text or the name of a part. Returns null for an unknown part. */
export function textOfPart(part: unknown): string | null {
  if (typeof part === 'string') return part;
  if (!isRecord(part)) return null;
  if (part.type === 'text' && typeof part.text === 'string') return part.text;
  if (part.type === 'image' || part.type === 'document') {
    const kind = isRecord(part.source) ? textOrNull(part.source.media_type) : null;
    return `[${kind ?? part.type}]`;
  }
  return part.type === 'tool_reference' && typeof part.tool_name === 'string' ? `[${part.tool_name}]` : null;
}

export function chooseLabel(input: Record<string, unknown>): { label?: string } {
  const value = ['file_path', 'notebook_path', 'path', 'command', 'pattern', 'query', 'url', 'description']
    .map((name) => textOrNull(input[name]))
    .find((text) => text !== null);
  const line = value?.split('\n', 1)[0] ?? '';
  return line === '' ? {} : { label: shortened(line, 200) };
}

const declinedPrefix = "The user doesn't want to";

/** Creates the entry of a tool result. `name` is the name of the tool. */
export function resultEntry(part: Record<string, unknown>, name: string): Extract<EntryInput, { type: 'tool_result' }> | null {
  const text = textOfParts(part.content);
  if (typeof part.tool_use_id !== 'string' || text === null) return null;
  const status = part.is_error !== true ? 'success' : text.startsWith(declinedPrefix) ? 'denied' : 'error';
  return { type: 'tool_result', content: text, data: { callId: part.tool_use_id, name, status } };
}

/** Creates the entry of a file edit in a tool result. Returns null if there is none. */
export function editEntry(result: unknown, callId: string, cwd: string | null): EntryInput | null {
  if (!isRecord(result) || typeof result.filePath !== 'string' || !Array.isArray(result.structuredPatch)) return null;
  const isNew = result.type === 'create';
  const hunks = result.structuredPatch.map((hunk) => hunkText(hunk));
  if (hunks.includes(null)) return null;
  const name = shownPath(result.filePath, cwd);
  const body = hunks.length === 0 && isNew ? wholeText(result.content) : hunks.join('');
  if (body === '') return null;
  const lines = body.split('\n');
  return {
    type: 'file_edit',
    data: {
      callId,
      path: name,
      operation: isNew ? 'create' : 'modify',
      diff: `--- ${isNew ? '/dev/null' : `a/${name}`}\n+++ b/${name}\n${body}`,
      beforeHash: null,
      afterHash: null,
      additions: lines.filter((line) => line.startsWith('+')).length,
      deletions: lines.filter((line) => line.startsWith('-')).length,
    },
  };
}

function hunkText(hunk: unknown): string | null {
  if (!isRecord(hunk) || !Array.isArray(hunk.lines) || !hunk.lines.every((line) => typeof line === 'string')) return null;
  const [from, fromCount, to, toCount] = [hunk.oldStart, hunk.oldLines, hunk.newStart, hunk.newLines].map(readCount);
  if (from === undefined || fromCount === undefined || to === undefined || toCount === undefined) return null;
  return `@@ -${from},${fromCount} +${to},${toCount} @@\n${hunk.lines.map((line) => `${line}\n`).join('')}`;
}

function wholeText(content: unknown): string {
  if (typeof content !== 'string' || content === '') return '';
  const lines = (content.endsWith('\n') ? content.slice(0, -1) : content).split('\n');
  const end = content.endsWith('\n') ? '' : '\\ No newline at end of file\n';
  return `@@ -0,0 +1,${lines.length} @@\n${lines.map((line) => `+${line}\n`).join('')}${end}`;
}

/** Returns the path relative to the working directory. Returns the path of a file outside this directory unchanged. */
function shownPath(file: string, cwd: string | null): string {
  if (cwd === null) return file;
  const style = /^[A-Za-z]:\\/.test(cwd) ? path.win32 : path.posix;
  const relative = style.relative(cwd, file);
  return relative === '' || relative.startsWith('..') || style.isAbsolute(relative) ? file : relative.replaceAll('\\', '/');
}
