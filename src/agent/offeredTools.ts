import type { WireTool } from '../types/ollama';
import type { ChatMode } from '../types/session';
import type { WorkspacePort } from './ports';
import type { ToolRegistry } from './toolRegistry';

/** The tools that a mode offers here, and why an agent has none. */
export function offeredTools(
  mode: ChatMode,
  { registry, workspace }: { registry: Pick<ToolRegistry, 'wire'>; workspace: Pick<WorkspacePort, 'folders' | 'isTrusted'> },
): { tools: WireTool[]; obstacle: 'untrusted' | 'noFolder' | null } {
  if (mode !== 'agent') return { tools: [], obstacle: null };
  const obstacle = !workspace.isTrusted() ? 'untrusted' : workspace.folders().length === 0 ? 'noFolder' : null;
  return { tools: obstacle === null ? registry.wire() : [], obstacle };
}
