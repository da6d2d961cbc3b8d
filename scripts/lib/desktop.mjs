import { spawn } from 'node:child_process';
import { onPath } from './browser.mjs';
import { capture } from './processes.mjs';

/** Returns the `code` command of a desktop VS Code that can run the extension here, or `undefined`. */
export async function findDesktopCode() {
  // In the terminal of an editor, `code` only talks to that editor.
  if (!hasDisplay() || process.env.VSCODE_IPC_HOOK_CLI) return undefined;
  const file = onPath('code');
  if (!file) return undefined;
  const { code, output } = await capture(file, ['--version'], { shell: process.platform === 'win32' });
  const [major, minor] = output.split('.').map(Number);
  return code === 0 && major === 1 && minor >= 105 ? file : undefined;
}

export function hasDisplay() {
  return process.platform !== 'linux' || Boolean(process.env.DISPLAY || process.env.WAYLAND_DISPLAY);
}

/** Opens an address in the user's browser if there is a display and `BROWSER` is not `none`. Returns true if it tried. */
export function openInBrowser(url) {
  if (!hasDisplay() || process.env.BROWSER === 'none') return false;
  const [command, ...args] = { darwin: ['open'], win32: ['cmd', '/c', 'start', ''] }[process.platform] ?? ['xdg-open'];
  if (!onPath(command)) return false;
  const child = spawn(command, [...args, url], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
  return true;
}
