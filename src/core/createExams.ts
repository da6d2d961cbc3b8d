import { FileAccess } from '../agent/approvals/fileAccess';
import { examTasks } from '../agent/exam/tasks';
import { ModelExams, type ExamStore } from '../agent/exam/modelExams';
import { allAids } from '../agent/kernel/modelAids';
import { runTerminalCommandTool } from '../agent/tools/command/runTerminalCommand';
import { applyPatchTool } from '../agent/tools/edit/applyPatch';
import { createFileTool } from '../agent/tools/edit/createFile';
import { replaceInFileTool } from '../agent/tools/edit/replaceInFile';
import { ToolRegistry } from '../agent/tools/kernel/toolRegistry';
import { readFileTool } from '../agent/tools/read/readFile';
import { searchWorkspaceTool } from '../agent/tools/read/searchWorkspace';
import { FileChanges } from '../services/files/fileChanges';
import { WorkspacePaths } from '../services/files/workspacePaths';
import type { OpenFiles, WorkspacePort } from '../services/files/workspacePorts';
import { serverKey } from '../services/model/client/serverAddress';
import { ContextWindows, type WindowStore } from '../services/model/context/contextWindows';
import { TextSearch } from '../services/search/textSearch';
import { WorkerSearch } from '../services/search/workerSearch';
import { BackgroundCommands } from '../services/terminal/run/backgroundCommands';
import { TerminalManager } from '../services/terminal/run/terminalManager';
import type { CorePorts, Lifetime } from './corePorts';

type ExamCorePorts = Pick<
  CorePorts,
  'client' | 'models' | 'arbiter' | 'settings' | 'workspace' | 'ripgrep' | 'askForCloud' | 'clock' | 'logger'
> & { workers: Pick<CorePorts['workers'], 'search'> };

/** Reports no open files, because the files of the exam are in a temporary folder. */
const noEditors: OpenFiles = {
  get: () => undefined,
  isHeld: () => false,
  rename: () => Promise.reject(new Error('Nothing is open')),
};

/**
 * Builds the model exam with the real tools on a temporary folder, without editors, checkpoints,
 * sessions and terminals. Uses no sandbox, because only the exam's own commands run.
 */
export function createExams(
  stored: WindowStore & { exams: ExamStore },
  ports: ExamCorePorts,
  lifetime: Lifetime,
  tasks = examTasks(process.platform === 'win32'),
): ModelExams {
  const { client, models, arbiter, settings, workspace, ripgrep, workers, askForCloud, clock, logger } = ports;
  const background = lifetime.add(new BackgroundCommands(clock, logger, undefined));
  const terminals = new TerminalManager(undefined, clock, logger);
  const searcher = new TextSearch(ripgrep, new WorkerSearch(workers.search, clock), logger);
  const nothing = { before: [], after: [] };
  const diagnostics = {
    diagnostics: () => Promise.resolve([]),
    watch: () => ({ changes: () => Promise.resolve(nothing), dispose: () => undefined }),
  };
  const toolsFor = (folder: WorkspacePort): ToolRegistry => {
    const access = new FileAccess(new WorkspacePaths(folder), settings, { get: () => Promise.resolve(undefined) });
    const changes = new FileChanges(noEditors);
    const editing = { access, changes, diagnostics, aids: allAids };
    return new ToolRegistry([
      readFileTool(access, noEditors, changes),
      searchWorkspaceTool(access, searcher),
      createFileTool(editing),
      replaceInFileTool(editing),
      applyPatchTool(editing),
      runTerminalCommandTool(access, { terminals, background }),
    ]);
  };
  const { exams: store } = stored;
  const exams = lifetime.add(
    new ModelExams({
      client,
      models,
      settings,
      askForCloud,
      clock,
      logger,
      toolsFor,
      store: {
        readExam: (...which) => store.readExam(...which),
        keepExam: async (server, digest, exam) => {
          await store.keepExam(server, digest, exam);
          await models.setExam(digest, exam);
        },
      },
      windows: new ContextWindows(stored, settings, logger),
      commandShell: () => workspace.commandShell(),
      server: () => serverKey(settings.baseUrl),
      tasks,
    }),
  );
  // Inline suggestions and titles wait during an exam, as they do during a chat.
  exams.onDidChange(({ model, state }) =>
    arbiter.trackRun({ sessionId: 'exam', state: state === 'running' ? 'running' : 'idle' }, () => Promise.resolve(model)),
  );
  return exams;
}
