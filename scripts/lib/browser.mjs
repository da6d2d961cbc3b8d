import { existsSync } from 'node:fs';
import path from 'node:path';

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable', 'microsoft-edge'];
const elsewhere = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  '/Applications/Microsoft Edge.app/Contents/MacOS/Microsoft Edge',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  'C:\\Program Files (x86)\\Microsoft\\Edge\\Application\\msedge.exe',
];

/** Returns a Chromium-based browser that tests can drive, or `undefined`. `OLLAMA_COPILOT_BROWSER` overrides the search. */
export function findBrowser() {
  const chosen = process.env.OLLAMA_COPILOT_BROWSER;
  if (chosen) return existsSync(chosen) ? chosen : undefined;
  return names.map(onPath).find(Boolean) ?? elsewhere.find((file) => existsSync(file));
}

/** Returns the full path of a command on `PATH`, or `undefined`. */
export function onPath(command) {
  const extensions = process.platform === 'win32' ? ['.exe', '.cmd'] : [''];
  for (const folder of (process.env.PATH ?? '').split(path.delimiter).filter(Boolean)) {
    const file = extensions.map((extension) => path.join(folder, command + extension)).find((name) => existsSync(name));
    if (file) return file;
  }
  return undefined;
}
