import type * as vscode from 'vscode';
import { ServiceContainer } from './serviceContainer';

let container: ServiceContainer | undefined;

export function activate(context: vscode.ExtensionContext): void {
  container = new ServiceContainer(context);
}

export async function deactivate(): Promise<void> {
  await container?.dispose();
  container = undefined;
}
