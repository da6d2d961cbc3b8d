/** Folders whose contents configure tools or run by themselves. */
const folders = new Set(['.git', '.vscode', '.husky', '.githooks', '.devcontainer', '.cursor', '.idea']);

/** Files that instruct agents, or that editors and agents take their configuration from. */
const files = new Set([
  'agents.md',
  'claude.md',
  'claude.local.md',
  'gemini.md',
  'copilot-instructions.md',
  '.cursorrules',
  '.clinerules',
  '.windsurfrules',
  '.roorules',
  '.mcp.json',
  'mcp.json',
  '.gitmodules',
  '.gitattributes',
]);

const endings = ['.code-workspace', '.instructions.md', '.prompt.md', '.chatmode.md', '.agent.md'];

/**
 * Whether a path (with `/`) names something that configures the editor, git or an agent, however a case-insensitive or
 * forgiving file system may read the name (`.GIT`, `.git.`, `.git::$DATA`, `GIT~1`, invisible characters).
 */
export function isProtected(path: string): boolean {
  const segments = path.split('/').map(folded);
  const name = segments.at(-1) ?? '';
  return segments.some((segment) => folders.has(segment)) || files.has(name) || endings.some((ending) => name.endsWith(ending));
}

function folded(segment: string): string {
  const plain = segment
    .normalize('NFKC')
    .replace(/[\p{Cf}\p{Mn}]/gu, '')
    .replace(/:.*$/, '')
    .replace(/[. ]+$/, '')
    .toLowerCase();
  // The short names that Windows gives to `.git` and `.vscode`.
  return plain.replace(/^(git|vscode)~\d+$/, '.$1');
}
