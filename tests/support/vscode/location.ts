import { existsSync } from 'node:fs';
import path from 'node:path';

/** The repository, seen from `out/tests/support/vscode`. */
export const repository = path.resolve(__dirname, '../../../..');

/** The folder of the npm VS Code; `npm run test:e2e` and its like fetch it and say where it is. */
export function codeServerFolder(): string {
  return named('OLLAMA_COPILOT_CODE_SERVER');
}

export function browserFile(): string {
  return named('OLLAMA_COPILOT_BROWSER');
}

export function vsixFile(): string {
  return named('OLLAMA_COPILOT_VSIX');
}

/** The package for this platform, with LanceDB in it; null where there is none for it. */
export function platformVsixFile(): string | null {
  return process.env['OLLAMA_COPILOT_PLATFORM_VSIX'] === undefined ? null : named('OLLAMA_COPILOT_PLATFORM_VSIX');
}

function named(variable: string): string {
  const file = process.env[variable];
  if (!file || !existsSync(file)) {
    throw new Error(
      `${variable} names no file (${file ?? 'unset'}). Start this through npm run test:extension, test:e2e or screenshots.`,
    );
  }
  return file;
}
