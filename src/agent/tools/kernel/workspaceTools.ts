import type { WorkspaceSearch } from '../../../services/codebase/codebaseTypes';
import type { TextSearcher } from '../../../services/search/textQuery';
import type { BackgroundCommands } from '../../../services/terminal/run/backgroundCommands';
import type { TerminalManager } from '../../../services/terminal/run/terminalManager';
import type { Clock } from '../../../utils/clock';
import type { SandboxLevel } from '../../approvals/sandboxLevel';
import type { FileAccess } from '../../approvals/fileAccess';
import type { FileChanges } from '../../../services/files/fileChanges';
import type { LanguagePort } from '../../kernel/languagePort';
import type { ModelAids } from '../../kernel/modelAids';
import type { DiagnosticsPort, DiagnosticsWatcher, SourceControlPort } from '../../kernel/ports';
import type { OpenFiles } from '../../../services/files/workspacePorts';
import { languageTools } from '../language/languageTools';
import { ToolRegistry } from './toolRegistry';
import { applyPatchTool } from '../edit/applyPatch';
import { createFileTool } from '../edit/createFile';
import { deleteFileTool } from '../edit/deleteFile';
import { findFilesTool } from '../read/findFiles';
import { getChangedFilesTool, type ChangedSinceStart } from '../read/getChangedFiles';
import { getDiagnosticsTool } from '../read/getDiagnostics';
import { getTerminalOutputTool } from '../command/getTerminalOutput';
import { listFilesTool } from '../read/listFiles';
import { readFileTool } from '../read/readFile';
import { renameFileTool } from '../edit/renameFile';
import { replaceInFileTool } from '../edit/replaceInFile';
import { replaceLinesTool } from '../edit/replaceLines';
import { runTerminalCommandTool } from '../command/runTerminalCommand';
import { searchCodebaseTool } from '../read/searchCodebase';
import { runTestsTool } from '../command/runTests';
import { searchHistoryTool, type SearchHistory } from '../read/searchHistory';
import { searchWorkspaceTool } from '../read/searchWorkspace';
import { askUserTool } from '../ask/askUser';
import { completeStepTool } from '../ask/completeStep';
import { runSubagentTool, type Explorer } from '../ask/runSubagent';
import { updateTodosTool } from '../ask/updateTodos';
import { writeFileTool } from '../edit/writeFile';

export interface ToolServices {
  access: FileAccess;
  changes: FileChanges;
  editors: OpenFiles;
  terminals: Pick<TerminalManager, 'run'>;
  background: BackgroundCommands;
  sandbox: SandboxLevel;
  searcher: TextSearcher;
  codebase: WorkspaceSearch;
  searchHistory: SearchHistory;
  diagnostics: DiagnosticsPort & DiagnosticsWatcher;
  language?: LanguagePort | undefined;
  sourceControl?: SourceControlPort | undefined;
  changedSinceStart: ChangedSinceStart;
  explorer: Explorer;
  clock: Clock;
  aids: Readonly<ModelAids>;
}

/** Returns all tools for the workspace in the order of the prompt. */
export function workspaceTools({
  access,
  changes,
  editors,
  terminals,
  background,
  sandbox,
  searcher,
  codebase,
  searchHistory,
  diagnostics,
  language,
  sourceControl,
  changedSinceStart,
  explorer,
  clock,
  aids,
}: ToolServices): ToolRegistry {
  const { paths } = access;
  const editing = { access, changes, diagnostics, aids };
  return new ToolRegistry([
    readFileTool(access, editors, changes),
    listFilesTool(paths),
    findFilesTool(paths, clock),
    searchWorkspaceTool(access, searcher),
    searchCodebaseTool(access, codebase),
    searchHistoryTool(searchHistory),
    getDiagnosticsTool(access, diagnostics),
    getChangedFilesTool(access, sourceControl, changedSinceStart),
    ...(language === undefined ? [] : languageTools({ access, language })),
    createFileTool(editing),
    replaceInFileTool(editing),
    replaceLinesTool(editing),
    applyPatchTool(editing),
    writeFileTool(editing),
    renameFileTool(editing),
    deleteFileTool(editing),
    runTerminalCommandTool(access, { terminals, background, sandbox }),
    runTestsTool(access, { terminals, background, sandbox }),
    getTerminalOutputTool(background),
    runSubagentTool(explorer),
    updateTodosTool(),
    completeStepTool(),
    askUserTool(),
  ]);
}
