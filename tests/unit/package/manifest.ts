import { readFileSync } from 'node:fs';
import path from 'node:path';

/** Root of the repository, relative to `out/tests/unit/package`. */
export const repository = path.resolve(__dirname, '../../../..');

export function readText(...names: string[]): string {
  return readFileSync(path.join(repository, ...names), 'utf8');
}

interface SettingDeclaration {
  type?: unknown;
  default: unknown;
  minimum?: number;
  maximum?: number;
  scope?: string;
  markdownDescription?: string;
  description?: string;
}

export interface Manifest {
  publisher: string;
  name: string;
  version: string;
  displayName: string;
  license: string;
  engines: { vscode: string };
  capabilities: { untrustedWorkspaces: { supported: string; restrictedConfigurations: string[] }; virtualWorkspaces: boolean };
  scripts: Record<string, string>;
  contributes: {
    commands: { command: string; title: string; category?: string }[];
    keybindings: { command: string; key: string; mac?: string; when?: string }[];
    menus: Record<string, { command?: string; submenu?: string; when?: string; group?: string }[]>;
    walkthroughs: {
      steps: { id: string; description: string; media: { svg: string; altText: string }; completionEvents: string[] }[];
    }[];
    viewsContainers: { activitybar: { id: string }[] };
    views: Record<string, { id: string; type: string }[]>;
    configuration: {
      properties: Record<string, SettingDeclaration>;
    };
  };
}

export const manifest = JSON.parse(readText('package.json')) as Manifest;
export const manifestTexts = JSON.parse(readText('package.nls.json')) as Record<string, string>;
