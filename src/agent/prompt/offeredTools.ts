import type { Entry } from '../../protocol/entries';
import { planInProgress } from '../../protocol/planProgress';
import type { ModelInfo } from '../../types/model';
import { modeRow, type ChatMode } from '../../types/modes';
import type { ModelDefaults } from '../../types/modelDefaults';
import type { AgentFile } from '../../services/instructions/agentFiles';
import type { WorkspacePort } from '../../services/files/workspacePorts';
import { mayUse } from './chosenAgent';
import { isSmallWindow } from './promptBuilder';
import { needsLineEdits } from '../tools/edit/editHistory';
import { compactTools } from '../tools/kernel/compactTools';
import { ToolRegistry } from '../tools/kernel/toolRegistry';

/**
 * Minimum context window in tokens for tools. In a smaller window, the
 * tool descriptions would leave too little room for the conversation.
 */
const smallestWindowForTools = 2048;

export interface OfferedTools {
  tools: ToolRegistry;
  /** Reason why the agent has no tools, or null if it has tools. */
  obstacle: 'untrusted' | 'noFolder' | null;
}

export interface ToolAvailability {
  registry: ToolRegistry;
  workspace: Pick<WorkspacePort, 'folders' | 'isTrusted'>;
  /** True while the agent works on a plan. */
  hasPlan?: boolean;
  /** True if edits to a file have failed repeatedly. */
  hasFailedEdits?: boolean;
  /** Agent that the user chose. */
  agent?: Pick<AgentFile, 'tools'> | null;
  /** Settings for the model that result from its exam. */
  defaults?: Pick<ModelDefaults, 'weakEdit' | 'hasFewTools' | 'isCompact'>;
}

/** Returns the conditions for offering tools that depend on the conversation. */
export function toolState(entries: readonly Entry[]): Required<Pick<ToolAvailability, 'hasPlan' | 'hasFailedEdits'>> {
  return { hasPlan: planInProgress(entries) !== null, hasFailedEdits: needsLineEdits(entries) };
}

/** Returns the tools that a mode offers in this workspace. Ask mode offers reading tools if possible, otherwise none. */
export function offeredTools(
  mode: ChatMode,
  model: ModelInfo,
  window: number,
  { registry, workspace, hasPlan = false, hasFailedEdits = false, agent = null, defaults }: ToolAvailability,
): OfferedTools {
  const obstacle = !workspace.isTrusted() ? 'untrusted' : workspace.folders().length === 0 ? 'noFolder' : null;
  const { tools: kind, needsTools } = modeRow(mode);
  const leavesOut = isSmallWindow(window) || defaults?.hasFewTools === true;
  const fitting = registry.only(({ isOptional, alsoIn, when }) => {
    if (when === 'failedEdits' && !hasFailedEdits) return false;
    if ((when === 'plan' || when === 'noPlan') && (when === 'plan') !== hasPlan) return false;
    return alsoIn.includes(mode) || !(isOptional && leavesOut);
  });
  const weakEdit = defaults?.weakEdit ?? null;
  const ordered = weakEdit === null ? fitting : fitting.withLast(weakEdit);
  const wanted = ordered.only((tool) => {
    const { modes, alsoIn } = tool;
    if (kind === 'all') return agent === null || mayUse(agent, tool);
    return alsoIn.includes(mode) || (kind === 'read' && modes === 'every');
  });
  const offered = defaults?.isCompact === true && !leavesOut ? compactTools(wanted) : wanted;
  if (needsTools) return { tools: obstacle === null ? offered : new ToolRegistry([]), obstacle };
  const canLook = obstacle === null && model.capabilities.tools && window >= smallestWindowForTools;
  return { tools: canLook ? offered : new ToolRegistry([]), obstacle: null };
}
