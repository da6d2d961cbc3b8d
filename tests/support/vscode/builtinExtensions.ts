import { mkdir, symlink } from 'node:fs/promises';
import path from 'node:path';
import { codeServerFolder } from './location';

/** Extensions for the usual look and syntax colors of a window. `node_modules` contains TypeScript for its language server. */
const basic = [
  ...['node_modules', 'theme-defaults', 'theme-seti', 'configuration-editing'],
  ...['typescript-basics', 'javascript', 'json', 'markdown-basics'],
];

/**
 * Creates a folder with a few built-in extensions for `--builtin-extensions-dir`. Otherwise every window reads all extensions (language
 * servers, Git, debuggers, notebooks) and starts some of them. This takes a fifth of its startup time.
 */
export async function linkBuiltinExtensions(target: string, more: readonly string[] = []): Promise<void> {
  const source = path.join(codeServerFolder(), 'node_modules/code-server/lib/vscode/extensions');
  await mkdir(target, { recursive: true });
  for (const name of [...basic, ...more]) await symlink(path.join(source, name), path.join(target, name), 'junction');
}
