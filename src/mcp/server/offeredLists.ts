import { t } from '../../utils/l10n';
import { cleanLine } from '../tools/cleanText';
import type { ListedPrompt, ListedTool, Listing } from './serverConnection';

const maxTools = 128;

/** Tools and prompts of a server to offer, with localized reasons why others are left out. */
export interface OfferedLists {
  tools: readonly ListedTool[];
  prompts: readonly ListedPrompt[];
  warnings: readonly string[];
}

export const noLists: OfferedLists = { tools: [], prompts: [], warnings: [] };

/** Selects the entries to offer. Each name is offered only once, because calls use the name. */
export function offeredLists(tools: Listing<ListedTool>, prompts: Listing<ListedPrompt>): OfferedLists {
  const warnings: string[] = [];
  if (tools.incomplete !== null) warnings.push(t('The list of tools may be incomplete. {0}', tools.incomplete.local));
  if (prompts.incomplete !== null) warnings.push(t('The list of prompts may be incomplete. {0}', prompts.incomplete.local));
  const known = byName(tools.entries);
  const repeated = byName(tools.entries.filter((tool) => !known.includes(tool)));
  if (repeated.length > 0) {
    const names = cleanLine(repeated.map(({ name }) => name).join(', '), 200);
    warnings.push(t('The server lists several tools under the same name. Only the first tool is offered: {0}', names));
  }
  if (known.length > maxTools) warnings.push(t('Only the first {0} of {1} tools are offered.', maxTools, known.length));
  return { tools: known.slice(0, maxTools), prompts: byName(prompts.entries), warnings };
}

/** Returns the first entry for each name. */
function byName<T extends { name: string }>(entries: readonly T[]): T[] {
  const found = new Map<string, T>();
  for (const entry of entries) if (!found.has(entry.name)) found.set(entry.name, entry);
  return [...found.values()];
}
