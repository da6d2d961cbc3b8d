import type { TextSearcher } from '../services/search/textQuery';
import type { TerminalManager } from '../services/terminal/terminalManager';
import type { Clock } from '../utils/clock';
import type { DiagnosticsPort, WorkspacePort } from './ports';
import { ToolRegistry } from './toolRegistry';
import { createFileTool } from './tools/createFile';
import { findFilesTool } from './tools/findFiles';
import { getDiagnosticsTool } from './tools/getDiagnostics';
import { listFilesTool } from './tools/listFiles';
import { readFileTool } from './tools/readFile';
import { runTerminalCommandTool } from './tools/runTerminalCommand';
import { searchWorkspaceTool } from './tools/searchWorkspace';
import type { WorkspacePaths } from './workspacePaths';

export interface ToolServices {
  paths: WorkspacePaths;
  workspace: Pick<WorkspacePort, 'onDidWriteFile'>;
  terminals: Pick<TerminalManager, 'run'>;
  searcher: TextSearcher;
  diagnostics: DiagnosticsPort;
  clock: Clock;
}

/** Every tool that works on the workspace, in the order in which models are told of them. */
export function workspaceTools({ paths, workspace, terminals, searcher, diagnostics, clock }: ToolServices): ToolRegistry {
  return new ToolRegistry([
    readFileTool(paths),
    listFilesTool(paths),
    findFilesTool(paths, clock),
    searchWorkspaceTool(paths, searcher),
    getDiagnosticsTool(paths, diagnostics),
    createFileTool(paths, workspace),
    runTerminalCommandTool(paths, terminals),
  ]);
}
