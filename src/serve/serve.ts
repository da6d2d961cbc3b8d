import { FileSensitivity } from '../utils/sensitivity/fileSensitivity';
import { sessionPatterns } from '../agent/approvals/fileAccess';
import type { ApiHost, ApiScope } from '../api/apiPorts';
import { ApiServer } from '../api/apiServer';
import { exportFormatOf, withoutSecrets } from '../services/export/exportNames';
import { SessionExporter } from '../services/export/sessionExporter';
import { systemClock } from '../utils/clock';
import { messageOf } from '../utils/errors';
import type { Logger } from '../utils/logger';
import { openHeadlessCore, type HeadlessCore, type HeadlessWorkers } from './headlessCore';
import type { AskedQuestion } from './questions/askedQuestion';
import { askYesNo, tellQuestion, type AskingTerminal } from './questions/askOnTerminal';
import { serveOptions, serveUsage, ServeUsageError, type ServeOptions } from './serveOptions';
import { terminalLogger } from './terminalLogger';
import { TerminalQuestions } from './terminalQuestions';

/** Program around `serve`. */
export interface ServeSurroundings extends AskingTerminal {
  /** Environment; `OLLAMA_TOKEN` is sent to Ollama. */
  environment: NodeJS.ProcessEnv;
  /** Ends it. */
  signal: AbortSignal;
  workers: HeadlessWorkers;
  version: string;
}

const hourMs = 3_600_000;

/** Runs the agent without an editor until it is ended. Resolves with the exit code. */
export async function serve(args: readonly string[], around: ServeSurroundings): Promise<number> {
  const note = (text: string) => around.note(`${text}\n`);
  let core: HeadlessCore | undefined;
  let server: ApiServer | undefined;
  try {
    if (args.includes('--help')) {
      around.note(serveUsage);
      return 0;
    }
    const options = serveOptions(args);
    const logger = terminalLogger(note);
    core = await openHeadlessCore(
      options,
      around.workers,
      { note, ask: around.askText && ((question) => askYesNo(around, question)) },
      { token: around.environment['OLLAMA_TOKEN'], logger },
    );
    const mayRun = [...options.allowed.values()].includes('run');
    new TerminalQuestions(core, around, mayRun);
    const host = hostOf(core, options, around, logger);
    const { port } = core.settings.getApiConfig();
    const { storage: folder, allowed } = options;
    server = await ApiServer.start(core, host, { port, folder, allowed, version: around.version });
    note(
      `Serving ${options.folders.map(({ path }) => path).join(', ')} at ${server.url}; chats and api.json are in ${options.storage}`,
    );
    if (around.askText === null) note('Nobody can be asked here: what asks is refused, but for what --allow lets clients do.');
    await ended(around.signal);
    return 0;
  } catch (error) {
    note(messageOf(error));
    if (error instanceof ServeUsageError) around.note(`\n${serveUsage}`);
    return 1;
  } finally {
    await server?.dispose().catch((error: unknown) => note(messageOf(error)));
    await core?.dispose().catch((error: unknown) => note(messageOf(error)));
  }
}

function hostOf(core: HeadlessCore, options: ServeOptions, around: ServeSurroundings, logger: Logger): ApiHost {
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
    if (around.askText !== null) return askYesNo(around, question);
    tellQuestion(around, question, 'Refused, because nobody can be asked here.');
    return false;
  };
  return {
    currentSession: () => null,
    modelFor: (mode) => settings.getModeConfig(mode).model || null,
    askForClient: async (client, scope) => {
      const facts = [
        { label: 'Risk', text: deeds[scope] },
        { label: 'Client', text: client },
      ];
      return (await asks({ title: 'Allow this client for an hour?', facts })) ? hourMs : null;
    },
    askForFolder: (client, folder) => {
      const risk = { label: 'Risk', text: 'It writes files of a checkpoint into a folder outside the workspace.' };
      const facts = [risk, { label: 'Folder', text: folder }, { label: 'Client', text: client }];
      return asks({ title: 'Allow this client to write files?', facts });
    },
    exportSession: (id, format) => exporter.pieces(id, { format: exportFormatOf(format), options: withoutSecrets }),
    folders: () => options.folders,
    ...{ clock: systemClock, logger },
  };
}

const deeds: Record<ApiScope, string> = {
  read: 'It reads chats.',
  write: 'It sends messages and changes chats and files.',
  run: 'It answers what the agent asks permission for: commands may run by that.',
};

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
