import type { WorkspacePaths } from '../../../services/files/workspacePaths';
import { t } from '../../../utils/l10n';
import type { Tool } from './tool';
import type { ToolRegistry } from './toolRegistry';

/** Returns the tools such that they work on the given files only. Every one of them names its file (`about`). */
export function confinedTools(
  tools: ToolRegistry,
  files: readonly string[],
  paths: Pick<WorkspacePaths, 'locate'>,
): ToolRegistry {
  const allowed = new Set(files);
  return tools.map((tool): Tool => ({
    ...tool,
    prepare: (given) => {
      const prepared = tool.prepare(given);
      if (!prepared.isValid) return prepared;
      return {
        ...prepared,
        run: async (context) => {
          const path = prepared.input[tool.facts.about?.argument ?? ''];
          const shown = typeof path === 'string' ? (await paths.locate(path)).shown : '';
          if (allowed.has(shown)) return prepared.run(context);
          const content = `Only these files may be read and changed here: ${files.join(', ')}. If another one has to change, say so in your answer.`;
          return { status: 'denied', content, summary: t('not one of the attached files') };
        },
      };
    },
  }));
}
