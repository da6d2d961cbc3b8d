import path from 'node:path';

/**
 * Just enough of the editor for the extension to start: whatever it asks for is a thing that can be read, called and made anew.
 * `onStatusBar` hears that the status bar's item is shown, the last step of a start.
 */
export function editorDouble(onStatusBar: () => void) {
  const known: Record<string, unknown> = {
    'window.createStatusBarItem': () => ({ show: () => setImmediate(onStatusBar), dispose: () => undefined }),
    'workspace.getConfiguration': () => ({ get: () => undefined, inspect: () => undefined }),
    'workspace.workspaceFolders': undefined,
    'l10n.bundle': undefined,
    'l10n.t': (text: string) => text,
  };
  return {
    vscode: anything('', known),
    context: (directory: string) => ({
      subscriptions: [],
      extensionUri: anything('extensionUri', known),
      globalStorageUri: { fsPath: directory },
      storageUri: undefined,
      asAbsolutePath: (file: string) => path.join(__dirname, '../../../..', file),
      workspaceState: { get: () => undefined, update: async () => undefined },
      globalState: { get: () => undefined, update: async () => undefined, setKeysForSync: () => undefined },
      secrets: { get: async () => undefined, store: async () => undefined, delete: async () => undefined },
      extension: { id: 'ollama-copilot.ollama-copilot', packageJSON: {} },
    }),
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
