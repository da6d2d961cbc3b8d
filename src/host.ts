import * as vscode from 'vscode';
import { ServiceContainer } from './composition/serviceContainer';
import { setTexts } from './utils/l10n';

let container: ServiceContainer | undefined;

export function activate(context: vscode.ExtensionContext): void {
  setTexts(vscode.l10n.bundle ?? {}, vscode.env.language);
  container = new ServiceContainer(context);
}

export async function deactivate(): Promise<void> {
  await container?.dispose();
  container = undefined;
}
