import type { ModelInfo } from '../../types/model';
import { modeRow, type ChatMode } from '../../types/modes';
import type { AgentFile } from '../../services/instructions/agentFiles';
import type { WorkspacePort } from '../../services/files/workspacePorts';
import { mayUse } from './chosenAgent';
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
  /** True once edits of a file have failed again and again. */
  hasFailedEdits?: boolean;
  /** Agent that a person has chosen. */
  agent?: Pick<AgentFile, 'tools'> | null;
}

/** Returns the tools that a mode offers here. Ask mode looks at the workspace if it can, and is plain chat if it cannot. */
export function offeredTools(
  mode: ChatMode,
  model: ModelInfo,
  window: number,
  { registry, workspace, hasPlan = false, hasFailedEdits = false, agent = null }: ToolsHere,
): OfferedTools {
  const obstacle = !workspace.isTrusted() ? 'untrusted' : workspace.folders().length === 0 ? 'noFolder' : null;
  const { tools: kind, needsTools } = modeRow(mode);
  const fitting = registry.only(({ isExtra, alsoIn, when }) => {
    if (when === 'failedEdits' && !hasFailedEdits) return false;
    if ((when === 'plan' || when === 'noPlan') && (when === 'plan') !== hasPlan) return false;
    return alsoIn.includes(mode) || !(isExtra && isSmallWindow(window));
  });
  const offered = fitting.only((tool) => {
    const { modes, alsoIn } = tool;
    if (kind === 'all') return agent === null || mayUse(agent, tool);
    return alsoIn.includes(mode) || (kind === 'read' && modes === 'every');
  });
  if (needsTools) return { tools: obstacle === null ? offered : new ToolRegistry([]), obstacle };
  const canLook = obstacle === null && model.capabilities.tools && window >= smallestWindowForTools;
  return { tools: canLook ? offered : new ToolRegistry([]), obstacle: null };
}
