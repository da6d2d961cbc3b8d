import Module, { createRequire } from 'node:module';
import path from 'node:path';

/** Options for the start of a window. */
export interface WindowStart {
  /** File that exports `activate`. */
  extension: string;
  /** True for the bundles of a VSIX, which load each other. False for the single files of a development build. */
  isInstalled?: boolean;
  /** Root folder of the storage. */
  directory: string;
  /** User settings by key, without the prefix. */
  settings: Readonly<Record<string, unknown>>;
  /** Translations that the editor has found for its language. */
  texts?: Readonly<Record<string, string>>;
}

/** Model in the stored list. Its name in the status bar shows that the list has been read. */
export const shownModel = 'qwen3:14b';

/**
 * Starts the extension in a minimal fake editor: every API that it uses can be read, called and constructed. `onReady` is called when the
 * status bar names a model. This is the last step of a start, so the database is open by then. Returns the registered view providers.
 */
export function startExtension({ extension, isInstalled = false, directory, settings, texts }: WindowStart, onReady: () => void) {
  const providers: { resolveWebviewView(view: unknown): unknown }[] = [];
  const item = {
    show: () => undefined,
    hide: () => undefined,
    dispose: () => undefined,
    set text(shown: string) {
      if (shown.includes(shownModel)) setImmediate(onReady);
    },
  };
  const known: Record<string, unknown> = {
    'window.createStatusBarItem': () => item,
    'window.registerWebviewViewProvider': (_id: string, provider: (typeof providers)[number]) => providers.push(provider),
    'workspace.getConfiguration': () => ({
      get: (key: string) => settings[key],
      inspect: (key: string) => ({ key, globalValue: settings[key] }),
    }),
    'window.visibleTextEditors': [],
    'window.activeTextEditor': undefined,
    'workspace.workspaceFolders': undefined,
    'l10n.bundle': texts,
    'l10n.t': (text: string) => text,
    'env.language': 'en',
    'env.shell': '/bin/sh',
    'ExtensionMode.Production': 1,
  };
  const vscode = anything('', known);
  const loader = Module as unknown as { _load(request: string, ...rest: unknown[]): unknown };
  const original = loader._load.bind(loader);
  loader._load = (request, ...rest) => (request === 'vscode' ? vscode : original(request, ...rest));
  const entry = createRequire(__filename)(extension) as { activate(context: unknown): void };
  entry.activate(contextOf(directory, isInstalled, known));
  return { providers };
}

const stores = { get: async () => undefined, store: async () => undefined, delete: async () => undefined };

function contextOf(directory: string, isInstalled: boolean, known: Record<string, unknown>) {
  return {
    extensionMode: isInstalled ? 1 : 2,
    subscriptions: [],
    extensionUri: anything('extensionUri', known),
    globalStorageUri: { fsPath: directory },
    storageUri: undefined,
    asAbsolutePath: (file: string) => path.join(__dirname, '../../..', file),
    workspaceState: { get: () => undefined, update: async () => undefined },
    globalState: { get: () => undefined, update: async () => undefined, setKeysForSync: () => undefined },
    secrets: { ...stores, onDidChange: () => ({ dispose: () => undefined }) },
    extension: { id: 'ollama-copilot.ollama-copilot', packageJSON: {} },
  };
}

function anything(name: string, known: Record<string, unknown>): unknown {
  const target = function () {} as unknown as Record<PropertyKey, unknown>;
  return new Proxy(target, {
    get: (own, key) => {
      if (key === Symbol.toPrimitive) return () => name;
      if (key === 'then' || typeof key === 'symbol') return undefined;
      const full = name === '' ? key : `${name}.${key}`;
      if (Object.hasOwn(known, full)) return known[full];
      return (own[key] ??= key === 'prototype' ? {} : anything(full, known));
    },
    apply: () => anything(`${name}()`, known),
    construct: () => anything(`new ${name}`, known) as object,
  });
}
