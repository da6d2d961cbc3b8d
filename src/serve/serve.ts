import { FileSensitivity } from '../utils/sensitivity/fileSensitivity';
import { sessionPatterns } from '../agent/approvals/fileAccess';
import type { ApiHost, ApiScope } from '../api/apiPorts';
import { ApiServer } from '../api/apiServer';
import { dialogState } from '../api/http/dialogState';
import { visibleLine } from '../protocol/text/visibleText';
import { findExportFormat, withoutSecrets } from '../services/export/exportNames';
import { SessionExporter } from '../services/export/sessionExporter';
import { AsyncMutex } from '../utils/asyncMutex';
import { systemClock } from '../utils/clock';
import { messageOf } from '../utils/errors';
import type { Logger } from '../utils/logger';
import { openHeadlessCore, type HeadlessCore, type HeadlessWorkers } from './headlessCore';
import type { AskedQuestion } from './questions/askedQuestion';
import { askForWords, askYesNo, tellQuestion, type AskingTerminal } from './questions/askOnTerminal';
import { servedMcp } from './servedMcp';
import { serveOptions, serveUsage, ServeUsageError, type ServeOptions } from './serveOptions';
import { terminalLogger } from './terminalLogger';
import { TerminalQuestions } from './terminalQuestions';

export interface ServeSurroundings extends AskingTerminal {
  /** Environment variables. `OLLAMA_TOKEN` is sent to Ollama. */
  environment: NodeJS.ProcessEnv;
  signal: AbortSignal;
  /** Writes to standard output. */
  write(text: string): void;
  workers: HeadlessWorkers;
  version: string;
}

/** Reports in one line why a server cannot run. Returns the exit code. */
export function reported(error: unknown, command: string, note: (text: string) => void): number {
  const isUsage = error instanceof ServeUsageError;
  note(`ollama-copilot: ${messageOf(error)}${isUsage ? ` Run “ollama-copilot ${command} --help”.` : ''}`);
  return isUsage ? 2 : 1;
}

const hourMs = 3_600_000;

/** Runs the agent without an editor until the signal aborts. Resolves with the exit code. */
export async function serve(args: readonly string[], around: ServeSurroundings): Promise<number> {
  const note = (text: string) => around.note(`${text}\n`);
  let core: HeadlessCore | undefined;
  let server: ApiServer | undefined;
  try {
    if (args.includes('--help')) {
      around.write(serveUsage);
      return 0;
    }
    const options = serveOptions(args);
    const logger = terminalLogger(note);
    const turn = new AsyncMutex();
    const asks = around.askText && ((question: AskedQuestion) => turn.runExclusive(() => askYesNo(around, question)));
    const asksForWords = around.askText && ((question: AskedQuestion) => turn.runExclusive(() => askForWords(around, question)));
    const { folders } = options;
    const { environment } = around;
    core = await openHeadlessCore(
      options,
      around.workers,
      { note, ask: asks },
      {
        token: environment['OLLAMA_TOKEN'],
        logger,
        toolSource: (settings, confine) =>
          servedMcp({ settings, folders, environment, logger, confine }, { note, askYesNo: asks, askForWords: asksForWords }),
      },
    );
    const host = createHost(core, options, around, { asks, logger });
    const { port } = core.settings.getApiConfig();
    const { storage: folder, allowed } = options;
    server = await ApiServer.start(core, host, { port, folder, allowed, version: around.version });
    new TerminalQuestions(core, around, server.presence, turn);
    await noteInterrupted(core, note);
    note(
      `Serving ${options.folders.map(({ path }) => path).join(', ')} at ${server.url}. Chats and api.json are in ${options.storage}.`,
    );
    if (around.askText === null)
      note('No terminal for questions. All approval requests are refused, except those that clients can answer with --allow.');
    await ended(around.signal);
    return 0;
  } catch (error) {
    return reported(error, 'serve', note);
  } finally {
    await server?.dispose().catch((error: unknown) => note(messageOf(error)));
    await core?.dispose().catch((error: unknown) => note(messageOf(error)));
  }
}

/** Maximum number of interrupted chats to list. */
const namedChats = 5;

/** Lists the chats whose runs were interrupted because an earlier server or window ended. */
async function noteInterrupted(core: HeadlessCore, note: (text: string) => void): Promise<void> {
  const { sessions } = await core.database.sessions.list({ offset: 0, limit: 200 });
  const ended = await core.database.queries.interrupted();
  const found = [];
  for (const session of sessions) if ((await dialogState(core, session, ended)) === 'interrupted') found.push(session);
  for (const { id, title } of found.slice(0, namedChats))
    note(`Interrupted: “${visibleLine(title)}”. Continue it with “ollama-copilot continue ${id}”.`);
  if (found.length > namedChats) note(`${found.length - namedChats} more chats were interrupted.`);
}

interface HostAids {
  /** Asks the user a yes/no question. Null without a terminal. */
  asks: ((question: AskedQuestion) => Promise<boolean>) | null;
  logger: Logger;
}

function createHost(
  core: HeadlessCore,
  options: ServeOptions,
  around: ServeSurroundings,
  { asks: asked, logger }: HostAids,
): ApiHost {
  const { settings, database } = core;
  const patterns = () => settings.getAgentConfig().sensitiveFilePatterns;
  const exporter = new SessionExporter(
    database,
    ({ sensitive_file_patterns: own }) => {
      const sensitivity = new FileSensitivity(patterns(), sessionPatterns(own));
      return (file) => sensitivity.isSecret(file);
    },
    () => systemClock.now(),
  );
  const asks = async (question: AskedQuestion) => {
    if (asked !== null) return asked(question);
    tellQuestion(around, question, 'Refused because there is no terminal to ask on.');
    return false;
  };
  return {
    currentSession: () => null,
    hasPerson: () => around.askText !== null,
    modelFor: (mode) => settings.getModeConfig(mode).model || null,
    askForClient: async (client, scope) => {
      const facts = [
        { label: 'Risk', text: deeds[scope] },
        { label: 'Client', text: client },
      ];
      return (await asks({ title: 'Allow this client for one hour?', facts })) ? hourMs : null;
    },
    askForFolder: (client, folder) => {
      const risk = { label: 'Risk', text: 'The client writes files of a checkpoint to a folder outside the workspace.' };
      const facts = [risk, { label: 'Folder', text: folder }, { label: 'Client', text: client }];
      return asks({ title: 'Allow this client to write files?', facts });
    },
    exportSession: (id, format) => exporter.pieces(id, { format: findExportFormat(format), options: withoutSecrets }),
    importSessions: (paths) => core.importer.import(paths, () => undefined, around.signal),
    folders: () => options.folders,
    clock: systemClock,
    logger,
  };
}

const deeds: Record<ApiScope, string> = {
  read: 'The client reads chats.',
  write: 'The client sends messages and changes chats and files.',
  run: 'The client answers approval requests of the agent. This can run commands.',
};

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
