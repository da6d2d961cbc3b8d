import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { delimiter, isAbsolute, join } from 'node:path';
import * as vscode from 'vscode';
import type { RipgrepLocator } from '../services/search/textSearch';

/** The ripgrep that the editor searches with, else one on the PATH (from no folder that depends on where the editor was started). */
export class RipgrepBinary implements RipgrepLocator {
  async locate(): Promise<string | undefined> {
    const name = process.platform === 'win32' ? 'rg.exe' : 'rg';
    const platform = `${process.platform}-${process.arch}`;
    const inEditor = ['node_modules.asar.unpacked', 'node_modules'].flatMap((modules) => {
      const scope = join(vscode.env.appRoot, modules, '@vscode');
      return [join(scope, 'ripgrep-universal', 'bin', platform, name), join(scope, 'ripgrep', 'bin', name)];
    });
    const onPath = (process.env['PATH'] ?? '').split(delimiter).filter(isAbsolute);
    for (const candidate of [...inEditor, ...onPath.map((folder) => join(folder, name))]) {
      const isThere = await access(candidate, constants.X_OK).then(
        () => true,
        () => false,
      );
      if (isThere) return candidate;
    }
    return undefined;
  }
}
