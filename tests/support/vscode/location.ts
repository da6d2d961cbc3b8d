import { existsSync } from 'node:fs';
import path from 'node:path';

/** Root of the repository, relative to `out/tests/support/vscode`. */
export const repository = path.resolve(__dirname, '../../../..');

/** Returns the folder of the npm VS Code. `npm run test:e2e` and similar scripts download it and set its path. */
export function codeServerFolder(): string {
  return named('OLLAMA_COPILOT_CODE_SERVER');
}

export function browserFile(): string {
  return named('OLLAMA_COPILOT_BROWSER');
}

export function vsixFile(): string {
  return named('OLLAMA_COPILOT_VSIX');
}

/** Returns the package for this platform, which includes LanceDB. Null if the platform has no such package. */
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
