import { createRequire } from 'node:module';
import path from 'node:path';
import * as vscode from 'vscode';
import type * as Host from './host';
import { CodeCache } from './utils/codeCache';

let host: typeof Host | undefined;

/** Entry point. Kept minimal so that everything else loads from the code cache. In development mode, the files load directly. */
export function activate(context: vscode.ExtensionContext): void {
  const isInstalled = context.extensionMode === vscode.ExtensionMode.Production;
  host = (isInstalled ? cachedHost(context) : createRequire(__filename)('./host.js')) as typeof Host;
  host.activate(context);
}

export async function deactivate(): Promise<void> {
  await host?.deactivate();
}

function cachedHost(context: vscode.ExtensionContext): unknown {
  return new CodeCache(__filename, path.join(context.globalStorageUri.fsPath, 'code')).load('./host.js');
}
