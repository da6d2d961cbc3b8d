import type { WorkspacePaths } from '../../../services/files/workspacePaths';
import { t } from '../../../utils/l10n';
import { allowedLines, type AttachedPart } from './attachedLines';
import type { Tool, ToolResult } from './tool';
import type { ToolRegistry } from './toolRegistry';

/**
 * Limits tools to the given files, and to the given part of each file
 * at the time of the call. The fact `about` of each tool must name the argument with the path.
 */
export function confinedTools(
  tools: ToolRegistry,
  partsNow: () => ReadonlyMap<string, AttachedPart>,
  paths: Pick<WorkspacePaths, 'locate'>,
): ToolRegistry {
  return tools.map((tool): Tool => ({
    ...tool,
    prepare: (given) => {
      const prepared = tool.prepare(given);
      if (!prepared.isValid) return prepared;
      return {
        ...prepared,
        run: async (context) => {
          const parts = partsNow();
          const path = prepared.input[tool.facts.about?.argument ?? ''];
          const shown = typeof path === 'string' ? (await paths.locate(path)).shown : '';
          const part = parts.get(shown);
          if (part !== undefined)
            return prepared.run({ ...context, refuses: (before, after) => outside(shown, allowedLines(part, before, after)) });
          const content = `Only these files may be read and changed here: ${[...parts.keys()].join(', ')}. If another one has to change, say so in your answer.`;
          return { status: 'denied', content, summary: t('not an attached file') };
        },
      };
    },
  }));
}

function outside(shown: string, lines: ReturnType<typeof allowedLines>): ToolResult | null {
  if (lines === null) return null;
  const places = lines.map(({ first, last }) => (first === last ? `line ${first}` : `lines ${first} to ${last}`)).join(' or ');
  const content = `Nothing was changed: only ${places} of ${shown} may change here, and this change touches others. Change only those; if others have to change, say so in your answer.`;
  return { status: 'denied', content, summary: t('outside the selected lines') };
}
