import { closeSync, existsSync, openSync, readdirSync, readSync, statSync } from 'node:fs';
import path from 'node:path';
import { messageOf } from '../../utils/errors';
import { claudeCodeSource } from './claudeCode';
import { exportedLinesSource } from './exportedLines';
import { exportedSource, isExportedSession } from './exportedSession';
import { codeSessionSource, sessionFileName, transcriptFileName } from './codeSession';
import { messagesTable } from './database/lanceSessions';
import type { ImportSource } from './importedEntry';
import { textOrNull } from './importedValues';
import type { ReportBuilder } from './importReport';
import { readJsonLines } from './jsonLines';
import type { RestorePoints } from './restorePoints';
import { isRecord } from '../../utils/json';

const maxDepth = 16;
const skippedFolders = new Set(['node_modules', '.git']);
const linesToDetect = 50;
const databaseNames = /\.(sqlite3?|db)$/;
const magic = 'SQLite format 3\0';

/** Database with any number of sessions. It is a file or a LanceDB folder. */
export interface FoundDatabase {
  format: 'database';
  isLance: boolean;
  place: string;
  size: number;
}

export type FoundSource = ImportSource | FoundDatabase;

export function isSessionDatabase(place: FoundSource): place is FoundDatabase {
  return !('read' in place);
}

/**
 * Finds sources in these files and folders, sorted by name. Does not follow links inside folders. Calls `report` for unreadable
 * files and for files that look importable but are not. Adds restore points to `points`. Calls `throwIfCancelled` for each folder.
 */
export function findSources(
  paths: readonly string[],
  report: ReportBuilder,
  points: RestorePoints,
  throwIfCancelled: () => void,
): FoundSource[] {
  const sources = new Map<string, FoundSource>();
  const lances = new Map<string, FoundSource>();
  const take = (source: FoundSource): void => void sources.set(source.place, source);

  const takeFile = (file: string, isChosen: boolean): void => {
    const name = path.basename(file);
    const lines = path.extname(name) === '.jsonl' && !isInSession(file) ? exportedLinesSource(file) : null;
    if (lines !== null) take(lines);
    else if (isChosen && (name === sessionFileName || name === transcriptFileName))
      take(codeSessionSource(path.dirname(file), points));
    else if (path.extname(name) === '.jsonl') takeTranscript(file, isChosen);
    else if (path.extname(name) === '.json' && isExportedSession(file)) takeExported(file);
    else if ((isChosen || databaseNames.test(name)) && hasMagic(file))
      take({ format: 'database', isLance: false, place: file, size: statSync(file).size });
    else if (isChosen) report.addUnknownFile(file);
  };
  const takeTranscript = (file: string, isChosen: boolean): void => {
    const { size } = statSync(file);
    const found = detectFormat(file);
    if (found.isClaude || isChosen || isUuid(path.basename(file, '.jsonl'))) take(claudeCodeSource(file, found.id, size));
    else report.addUnknownFile(file);
  };
  const takeExported = (file: string): void => {
    const source = exportedSource(file);
    if (source === null) report.addIssue(file, null, 'unknownForm');
    else take(source);
  };
  const takeFolder = (folder: string, depth: number): void => {
    throwIfCancelled();
    const entries = readdirSync(folder, { withFileTypes: true }).sort((one, other) => (one.name < other.name ? -1 : 1));
    if (isObjects(folder, entries)) {
      points.addObjects(folder);
      return;
    }
    if (entries.some((entry) => entry.isDirectory() && entry.name === messagesTable)) {
      // Read this folder last. Sessions that are also in the database next to it are imported from that database.
      lances.set(folder, { format: 'database', isLance: true, place: folder, size: 1 });
      return;
    }
    if (path.basename(folder) === 'manifests') points.addManifests(folder);
    const isSession =
      entries.some((entry) => entry.isFile() && entry.name === transcriptFileName) || hasSession(folder, entries, points);
    if (isSession) take(codeSessionSource(folder, points));
    for (const entry of entries) {
      const at = path.join(folder, entry.name);
      if (entry.isDirectory() && !skippedFolders.has(entry.name)) {
        if (depth < maxDepth) attempt(at, () => takeFolder(at, depth + 1));
        else report.addIssue(at, null, 'tooDeep');
      } else if (entry.isFile() && !(isSession && entry.name === transcriptFileName)) attempt(at, () => takeFile(at, false));
    }
  };
  const attempt = (at: string, work: () => void): void => {
    try {
      work();
    } catch (error) {
      if (!(error instanceof Error && 'syscall' in error)) throw error;
      report.addIssue(at, null, 'unreadable', messageOf(error));
    }
  };

  for (const at of paths) {
    const absolute = path.resolve(at);
    attempt(absolute, () => (statSync(absolute).isDirectory() ? takeFolder(absolute, 0) : takeFile(absolute, true)));
  }
  return [...sources.values(), ...lances.values()];
}

/** Returns true if a file is the transcript of an exported folder, which `session.json` describes. */
function isInSession(file: string): boolean {
  return path.basename(file) === transcriptFileName && existsSync(path.join(path.dirname(file), sessionFileName));
}

/** Returns true if a folder contains objects named by hash, in subfolders named by the first two digits. */
function isObjects(folder: string, entries: readonly { name: string; isDirectory(): boolean }[]): boolean {
  return path.basename(folder) === 'objects' && entries.some((entry) => entry.isDirectory() && /^[0-9a-f]{2}$/.test(entry.name));
}

/** Returns true if a folder contains a session. The file name alone is not sufficient, because other programs also use `session.json`. */
function hasSession(folder: string, entries: readonly { name: string; isFile(): boolean }[], points: RestorePoints): boolean {
  if (!entries.some((entry) => entry.isFile() && entry.name === sessionFileName)) return false;
  return codeSessionSource(folder, points).isDescribed;
}

/** Detects the format from the first lines. The session ID is the file name, unless the file was renamed. */
function detectFormat(file: string): { isClaude: boolean; id: string } {
  const name = path.basename(file, '.jsonl');
  let isClaude = false;
  for (const line of readJsonLines(file, () => undefined)) {
    if (line.number > linesToDetect) break;
    if ('problem' in line || !isRecord(line.value) || typeof line.value.type !== 'string') continue;
    const sessionId = textOrNull(line.value.sessionId);
    isClaude ||= (sessionId !== null && 'uuid' in line.value) || 'leafUuid' in line.value || 'messageId' in line.value;
    if (sessionId !== null) return { isClaude, id: isUuid(name) || name.startsWith('agent-') ? name : sessionId };
  }
  return { isClaude, id: name };
}

function hasMagic(file: string): boolean {
  const descriptor = openSync(file, 'r');
  try {
    const header = Buffer.alloc(magic.length);
    return readSync(descriptor, header) === magic.length && header.toString('latin1') === magic;
  } finally {
    closeSync(descriptor);
  }
}

function isUuid(text: string): boolean {
  return /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(text);
}
