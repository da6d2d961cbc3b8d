import type { TextSearcher } from '../services/search/textQuery';
import type { BackgroundCommands } from '../services/terminal/run/backgroundCommands';
import type { TerminalManager } from '../services/terminal/run/terminalManager';
import type { Clock } from '../utils/clock';
import type { FileAccess } from './fileAccess';
import type { FileChanges } from './fileChanges';
import type { DiagnosticsPort, DiagnosticsWatcher, OpenFiles } from './ports';
import { ToolRegistry } from './toolRegistry';
import { createFileTool } from './tools/createFile';
import { deleteFileTool } from './tools/deleteFile';
import { findFilesTool } from './tools/findFiles';
import { getDiagnosticsTool } from './tools/getDiagnostics';
import { getTerminalOutputTool } from './tools/getTerminalOutput';
import { listFilesTool } from './tools/listFiles';
import { readFileTool } from './tools/readFile';
import { renameFileTool } from './tools/renameFile';
import { replaceInFileTool } from './tools/replaceInFile';
import { runTerminalCommandTool } from './tools/runTerminalCommand';
import { searchWorkspaceTool } from './tools/searchWorkspace';
import { askUserTool } from './tools/askUser';
import { updateTodosTool } from './tools/updateTodos';
import { writeFileTool } from './tools/writeFile';

export interface ToolServices {
  access: FileAccess;
  changes: FileChanges;
  editors: OpenFiles;
  terminals: Pick<TerminalManager, 'run'>;
  background: BackgroundCommands;
  searcher: TextSearcher;
  diagnostics: DiagnosticsPort & DiagnosticsWatcher;
  clock: Clock;
}

/** Every tool that works on the workspace, in the order in which models are told of them. */
export function workspaceTools({
  access,
  changes,
  editors,
  terminals,
  background,
  searcher,
  diagnostics,
  clock,
}: ToolServices): ToolRegistry {
  const { paths } = access;
  const editing = { access, changes, diagnostics };
  return new ToolRegistry([
    readFileTool(access, editors),
    listFilesTool(paths),
    findFilesTool(paths, clock),
    searchWorkspaceTool(access, searcher),
    getDiagnosticsTool(access, diagnostics),
    createFileTool(editing),
    replaceInFileTool(editing),
    writeFileTool(editing),
    renameFileTool(editing),
    deleteFileTool(editing),
    runTerminalCommandTool(access, terminals, background),
    getTerminalOutputTool(background),
    updateTodosTool(),
    askUserTool(),
  ]);
}
