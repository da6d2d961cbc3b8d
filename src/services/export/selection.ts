import type { Entry, EntryOf } from '../../protocol/entries';
import type { ExportOptions } from '../../protocol/exportedSession';
import { withoutKept } from '../../protocol/toolFacts';
import { withoutKeys } from '../../utils/sensitivity/keyShapes';

/** Placeholder for removed content. */
export const leftOut = '[left out]';

/** Returns true if the path of a file suggests that its content is secret. */
export type IsSecret = (path: string) => boolean;

/** Applies the export options to entries. Keeps `callId`, order and `seq`, and marks removed content. */
export function selectEntries(entries: readonly Entry[], options: ExportOptions, isSecret: IsSecret): Entry[] {
  const calls = new Map<string, EntryOf<'tool_call'>>();
  for (const entry of entries) if (entry.type === 'tool_call') calls.set(entry.data.callId, entry);
  const secretCalls = new Set<string>();
  if (!options.secrets) {
    for (const [callId, { data }] of calls) if (namesSecret(data.input, isSecret)) secretCalls.add(callId);
    for (const entry of entries) {
      const isAbout = entry.type === 'file_edit' || entry.type === 'approval';
      if (isAbout && entry.data.callId !== undefined && isSecretFile(entry.data, isSecret)) secretCalls.add(entry.data.callId);
    }
  }
  const chosen: Entry[] = [];
  for (const entry of entries) {
    if (!options.thinking && isThinking(entry)) continue;
    const isOfSecret = 'callId' in entry.data && secretCalls.has(entry.data.callId ?? '');
    const kept = shortened(entry, options, { isOfSecret, isSecret, family: findFamily(entry, calls) });
    chosen.push(options.secrets ? kept : mapTexts(kept, withoutKeys));
  }
  return chosen;
}

interface Around {
  isOfSecret: boolean;
  isSecret: IsSecret;
  family: string | undefined;
}

function shortened(entry: Entry, options: ExportOptions, { isOfSecret, isSecret, family }: Around): Entry {
  const hasNoFiles = !options.fileContents || isOfSecret;
  switch (entry.type) {
    case 'user_input': {
      const attachments = entry.data.attachments.map((attachment) =>
        attachment.content !== undefined && (!options.fileContents || (!options.secrets && isSecret(attachment.path)))
          ? { ...attachment, content: leftOut }
          : attachment,
      );
      return { ...entry, data: { ...entry.data, attachments } };
    }
    case 'tool_call':
      return hasNoFiles && (isOfSecret || family === 'edit')
        ? { ...entry, data: { ...entry.data, input: withoutContents(entry.data.input) } }
        : entry;
    case 'tool_result': {
      const isContent = hasNoFiles && (isOfSecret || family === 'read' || family === 'edit' || family === 'search');
      if (options.toolOutput && !isContent) return entry;
      const { display, ...data } = entry.data;
      return { ...entry, content: leftOut, data: { ...data, ...(display !== undefined && { display: leftOut }) } };
    }
    case 'file_edit':
      return hasNoFiles || (!options.secrets && isSecretFile(entry.data, isSecret))
        ? { ...entry, data: { ...entry.data, diff: '' } }
        : entry;
    case 'approval': {
      const isSecretEdit = !options.secrets && isSecretFile(entry.data, isSecret);
      return entry.data.diff !== undefined && (hasNoFiles || isSecretEdit)
        ? { ...entry, data: { ...entry.data, diff: '' } }
        : entry;
    }
    case 'checkpoint':
      return { ...entry, data: withoutKept(entry.data) };
    case 'review':
      return hasNoFiles && entry.data.hunks !== undefined
        ? { ...entry, data: { ...entry.data, hunks: entry.data.hunks.map((hunk) => ({ ...hunk, text: '' })) } }
        : entry;
    default:
      return entry;
  }
}

function isThinking(entry: Entry): boolean {
  return entry.type === 'thinking' || (entry.type === 'assistant_output' && entry.data.isThinking === true);
}

function findFamily(entry: Entry, calls: ReadonlyMap<string, EntryOf<'tool_call'>>): string | undefined {
  if (entry.type !== 'tool_call' && entry.type !== 'tool_result') return undefined;
  const call = entry.type === 'tool_call' ? entry : calls.get(entry.data.callId);
  return call?.data.facts?.family ?? (/read|view/i.test(entry.data.name) ? 'read' : undefined);
}

function isSecretFile(data: { path?: string | undefined; newPath?: string | undefined }, isSecret: IsSecret): boolean {
  return [data.path, data.newPath].some((path) => path !== undefined && isSecret(path));
}

/** Returns true if an argument is a secret path, or a command that contains a secret path as a word. */
export function namesSecret(input: Record<string, unknown>, isSecret: IsSecret): boolean {
  let isFound = false;
  mapTexts(input, (text) => {
    if (text.length <= 4096 && !text.includes('\n'))
      isFound ||= [text, ...text.split(/[\s"'`=;|&<>()]+/)].some((word) => word !== '' && isSecret(word));
    return text;
  });
  return isFound;
}

/** Removes every argument that may be more than a name. */
export function withoutContents(input: Record<string, unknown>): Record<string, unknown> {
  return mapTexts(input, (text) => (text.includes('\n') || text.length > 200 ? leftOut : text));
}

/** Copies a value and changes every string in it. */
export function mapTexts<T>(value: T, change: (text: string) => string): T {
  if (typeof value === 'string') return change(value) as T;
  if (Array.isArray(value)) return value.map((item: unknown) => mapTexts(item, change)) as T;
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item as unknown, change)])) as T;
}
