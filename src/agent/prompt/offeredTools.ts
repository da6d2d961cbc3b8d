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

/** Returns the tools that a mode offers here. Ask mode looks at the workspace if it can, and is plain chat if it cannot. */
export function offeredTools(
  mode: ChatMode,
  model: ModelInfo,
  window: number,
  { registry, workspace }: { registry: ToolRegistry; workspace: Pick<WorkspacePort, 'folders' | 'isTrusted'> },
): OfferedTools {
  const obstacle = !workspace.isTrusted() ? 'untrusted' : workspace.folders().length === 0 ? 'noFolder' : null;
  const fits = registry.only(({ isExtra }) => !(isExtra && isSmallWindow(window)));
  if (modeRow(mode).tools === 'all') return { tools: obstacle === null ? fits : new ToolRegistry([]), obstacle };
  const canLook = obstacle === null && model.capabilities.tools && window >= smallestWindowForTools;
  return { tools: fits.only(({ modes }) => canLook && modes === 'every'), obstacle: null };
}
