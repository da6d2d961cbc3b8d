import type { ModelInfo } from '../../types/model';
import { modeRow, type ChatMode } from '../../types/modes';
import type { WorkspacePort } from '../../services/files/workspacePorts';
import { isSmallWindow } from './promptBuilder';
import { ToolRegistry } from '../tools/kernel/toolRegistry';

/** Tokens; below it the descriptions of tools alone would leave too little for a question and its answer. */
const smallestWindowForTools = 2048;

export interface OfferedTools {
  tools: ToolRegistry;
  /** Reason why an agent has no tools; null if it has some. */
  obstacle: 'untrusted' | 'noFolder' | null;
}

export interface ToolsHere {
  registry: ToolRegistry;
  workspace: Pick<WorkspacePort, 'folders' | 'isTrusted'>;
  /** True while a plan is carried out. */
  hasPlan?: boolean;
}

/** Returns the tools that a mode offers here. Ask mode looks at the workspace if it can, and is plain chat if it cannot. */
export function offeredTools(
  mode: ChatMode,
  model: ModelInfo,
  window: number,
  { registry, workspace, hasPlan = false }: ToolsHere,
): OfferedTools {
  const obstacle = !workspace.isTrusted() ? 'untrusted' : workspace.folders().length === 0 ? 'noFolder' : null;
  const { tools: kind, needsTools } = modeRow(mode);
  const fitting = registry.only(({ isExtra, alsoIn, when }) => {
    if (when !== undefined && (when === 'plan') !== hasPlan) return false;
    return alsoIn.includes(mode) || !(isExtra && isSmallWindow(window));
  });
  const offered = fitting.only(({ modes, alsoIn }) => {
    if (kind === 'all') return true;
    return alsoIn.includes(mode) || (kind === 'read' && modes === 'every');
  });
  if (needsTools) return { tools: obstacle === null ? offered : new ToolRegistry([]), obstacle };
  const canLook = obstacle === null && model.capabilities.tools && window >= smallestWindowForTools;
  return { tools: canLook ? offered : new ToolRegistry([]), obstacle: null };
}
