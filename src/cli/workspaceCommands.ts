import { existsSync } from 'node:fs';
import path from 'node:path';
import { visibleLine } from '../protocol/text/visibleText';
import type { ApiClient } from './apiClient';
import { onlyArgument, readOption, type CommandLine } from './commandLine';
import { CliError, exitCodes, usageError, type ExitCode } from './exitCodes';
import type { Terminal } from './personTerminal';

interface Restored {
  restored_files?: string[];
  skipped_files?: { path: string; reason: string }[];
}

interface Imported {
  sessions: { id: string; title: string; outcome: string; added: number; failure?: string }[];
  issues: { file: string; lines: [number, number] | null; reason: string; detail?: string }[];
  failure: { message: string } | null;
}

const goodOutcomes = new Set(['imported', 'extended', 'unchanged', 'continued']);

/** Lists checkpoints, restores, approves or resets. */
export async function changeWorkspace(client: ApiClient, terminal: Terminal, line: CommandLine): Promise<ExitCode> {
  const { command, rest, values } = line;
  const [session, checkpoint, ...files] = command === 'restore' ? rest : [onlyArgument(line, 'SESSION')];
  if (session === undefined) throw usageError('SESSION is missing.', command);
  const at = `/api/dialogs/${encodeURIComponent(session)}`;
  const keep = values['keep-own-edits'] === true ? { keep_own_edits: true } : {};
  const show = (answer: unknown, rows: readonly string[]): ExitCode => {
    terminal.write(values.json === true ? `${JSON.stringify(answer)}\n` : rows.map((row) => `${visibleLine(row)}\n`).join(''));
    return exitCodes.done;
  };
  switch (command) {
    case 'checkpoints': {
      const answer = await client.call<{ checkpoints: { commit_id: string; message: string }[] }>('GET', `${at}/checkpoints`);
      return show(
        answer,
        answer.checkpoints.map(({ commit_id: id, message }) => `${id}  ${message}`),
      );
    }
    case 'approve': {
      const message = readOption(values, 'message');
      const answer = await client.call<{ approved_commit: string }>(
        'POST',
        `${at}/approve`,
        message === undefined ? {} : { message },
      );
      return show(answer, [`Approved: ${answer.approved_commit}`]);
    }
    case 'reset': {
      const answer = await client.call<Restored>('POST', `${at}/reset`, keep);
      return show(answer, restoredRows(answer));
    }
    default: {
      if (checkpoint === undefined) throw usageError('CHECKPOINT is missing.', command);
      const dry = values['dry-run'] === true ? { dryRun: true } : {};
      const body = { checkpoint_id: checkpoint, ...(files.length > 0 && { files }), ...keep, ...dry };
      const answer = await client.call<Restored>('POST', `${at}/restore`, body);
      return show(answer, restoredRows(answer));
    }
  }
}

/** Imports files and folders. Fails if a session could not be imported or if there are no sessions. */
export async function importFiles(client: ApiClient, terminal: Terminal, { rest, values }: CommandLine): Promise<ExitCode> {
  if (rest.length === 0) throw usageError('FILE is missing.', 'import');
  const paths = rest.map((file) => path.resolve(file));
  const missing = paths.find((file) => !existsSync(file));
  if (missing !== undefined) throw new CliError(`${missing} does not exist.`, exitCodes.notFound, 'NOT_FOUND');
  const report = await client.call<Imported>('POST', '/api/import', { paths });
  if (values.json === true) terminal.write(`${JSON.stringify(report)}\n`);
  else {
    for (const { id, title, outcome, added, failure } of report.sessions)
      terminal.write(visibleLine(`${outcome}  ${id}  ${title} (${added})${failure === undefined ? '' : `: ${failure}`}`) + '\n');
    for (const { file, lines, reason, detail } of report.issues)
      terminal.note(
        visibleLine(`${file}${lines === null ? '' : `:${lines[0]}`}: ${detail === undefined ? reason : `${reason}: ${detail}`}`) +
          '\n',
      );
  }
  if (report.failure !== null) throw new CliError(report.failure.message);
  if (report.sessions.length === 0) throw new CliError('No chat found in the given files.', exitCodes.notFound, 'NOT_FOUND');
  return report.sessions.every(({ outcome }) => goodOutcomes.has(outcome)) ? exitCodes.done : exitCodes.failed;
}

function restoredRows({ restored_files: restored = [], skipped_files: skipped = [] }: Restored): string[] {
  return [
    ...restored.map((file) => `restored  ${file}`),
    ...skipped.map(({ path: file, reason }) => `skipped   ${file}: ${reason}`),
  ];
}
