import Module, { createRequire } from 'node:module';
import path from 'node:path';

/** What a window starts with. */
export interface WindowStart {
  /** `activate` of the extension. */
  extension: string;
  /** As the bundles of a VSIX, which load each other; else as single files, by their developer. */
  isInstalled?: boolean;
  /** The storage root. */
  directory: string;
  /** Set by the person, by their keys without the prefix. */
  settings: Readonly<Record<string, unknown>>;
  /** The translations that the editor found for its language. */
  texts?: Readonly<Record<string, string>>;
}

/** A model to be in the stored list, by whose name the status bar shows that the list has been read. */
export const shownModel = 'qwen3:14b';

/**
 * Starts the extension in an editor of which there is just enough for that: whatever it asks for is a thing that can be read,
 * called and made anew. `onReady` hears that the status bar names a model, the last step of a start: the database is open then.
 * Answers what the extension does about its view.
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
