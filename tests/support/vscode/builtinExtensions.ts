import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { codeServerFolder } from './location';

/** What a window needs to look and colour as usual; `node_modules` holds the TypeScript that its language server runs. */
const basic = [
  ...['node_modules', 'theme-defaults', 'theme-seti', 'configuration-editing'],
  ...['typescript-basics', 'javascript', 'json', 'markdown-basics'],
];

/**
 * Makes a folder with few of the editor's own extensions, for `--builtin-extensions-dir`: the others (language servers, Git, debuggers,
 * notebooks) are read and partly started in every window, which costs a fifth of its start.
 */
export async function linkBuiltinExtensions(target: string, more: readonly string[] = []): Promise<void> {
  const source = path.join(codeServerFolder(), 'node_modules/code-server/lib/vscode/extensions');
  await mkdir(target, { recursive: true });
  for (const name of [...basic, ...more]) await symlink(path.join(source, name), path.join(target, name), 'junction');
}
