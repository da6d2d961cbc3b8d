import { join } from 'node:path';
import * as vscode from 'vscode';
import type { RipgrepLocator } from '../../services/search/textSearch';
import { isProgram, locateProgram } from '../../services/terminal/judge/plainProgram';

/**
 * Finds the ripgrep binary of VS Code. If it is missing, finds ripgrep on the PATH outside folders that the agent can write to.
 */
export class RipgrepBinary implements RipgrepLocator {
  constructor(private readonly writable: () => readonly string[]) {}

  async locate(): Promise<string | undefined> {
    const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
    const platform = `${process.platform}-${process.arch}`;
    for (const modules of ['node_modules.asar.unpacked', 'node_modules']) {
      const scope = join(vscode.env.appRoot, modules, '@vscode');
      for (const file of [join(scope, 'ripgrep-universal', 'bin', platform, name), join(scope, 'ripgrep', 'bin', name)]) {
        if (await isProgram(file)) return file;
      }
    }
    return (await locateProgram('rg', this.writable())) ?? undefined;
  }
}
