import type { WorkspaceRoot } from '../../../services/files/workspacePaths';
import { NeverRules } from '../../../services/git/neverRules';
import type { ToolResult } from '../kernel/tool';

/** Adds notes about folders that are missing from a result because their rule files cannot be read. */
export function withClosedNotes(result: ToolResult, roots: readonly WorkspaceRoot[]): ToolResult {
  const notes = roots.flatMap(({ real, prefix }) => {
    const problem = NeverRules.of(real)?.problem ?? null;
    return problem === null ? [] : [`[${prefix}${problem.english} Tell the user.]`];
  });
  return notes.length === 0 ? result : { ...result, content: [result.content, ...notes].join('\n') };
}
