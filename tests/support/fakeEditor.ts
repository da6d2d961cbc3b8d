import { existsSync } from 'node:fs';
import Module from 'node:module';
import path from 'node:path';
import { editorTypes, FakeQuickPick, scm } from './fakeEditorTypes';

/** Calls to the editor from the host side of the view, in order. */
export const editorCalls: { name: string; args: unknown[] }[] = [];

/** Open folder (null for none), settings by their full names, and the user's answers in dialogs. */
export const editor = {
  folder: null as string | null,
  /** Multiple folders, used instead of `folder`. */
  folders: null as string[] | null,
  userSettings: new Map<string, unknown>(),
  workspaceSettings: new Map<string, unknown>(),
  folderSettings: new Map<string, unknown>(),
  /** Error that prevents writing settings. */
  settingsFailure: null as Error | null,
  answer: undefined as string | undefined,
  /** Answers for the first dialogs, used before `answer`. */
  answers: [] as (string | undefined)[],
  /** Labels that the user picks from lists, in order. */
  picks: [] as string[],
  /** Files that the user opens in a dialog. */
  opened: [] as string[],
  /** Installation folder of the editor. */
  appRoot: '/editor',
  /** Promise that opening a file waits for. */
  opening: Promise.resolve(),
  /** Other extensions by ID, and the results of commands. */
  extensions: new Map<string, unknown>(),
  commandResults: new Map<string, unknown>(),
  /** Tools of other extensions, and their handler. */
  tools: [] as { name: string; description: string; inputSchema?: object; tags: string[] }[],
  invokeTool: (_name: string, _options: { input: unknown }): unknown => undefined,
  /** True if the user cancels operations that show progress. */
  endsProgress: false,
};

/** Behaves like the editor: workspace settings override user settings, and the value `undefined` removes a setting. */
function configuration(section: string) {
  const named = (key: string) => `${section}.${key}`;
  return {
    get: (key: string, fallback?: unknown) =>
      editor.folderSettings.get(named(key)) ??
      editor.workspaceSettings.get(named(key)) ??
      editor.userSettings.get(named(key)) ??
      fallback,
    inspect: (key: string) => ({
      key: named(key),
      globalValue: editor.userSettings.get(named(key)),
      workspaceValue: editor.workspaceSettings.get(named(key)),
      workspaceFolderValue: editor.folderSettings.get(named(key)),
    }),
    update: called('updateSetting', (key: string, value: unknown, target: number) => {
      if (editor.settingsFailure !== null) return Promise.reject(editor.settingsFailure);
      const settings = target === 2 ? editor.workspaceSettings : editor.userSettings;
      if (value === undefined) settings.delete(named(key));
      else settings.set(named(key), value);
      return Promise.resolve();
    }),
  };
}

/**
 * The editor's API as far as `src/views` uses it. Throws wherever the real
 * API throws. Import this file before any module that imports `vscode`.
 */
class Uri {
  private constructor(
    readonly scheme: string,
    readonly path: string,
    private readonly text: string,
  ) {}

  /** Uses a lowercase drive letter on Windows, as in VS Code. */
  get fsPath(): string {
    if (process.platform !== 'win32' || !/^\/[a-z]:/i.test(this.path)) return this.path;
    return path.win32.normalize(this.path.charAt(1).toLowerCase() + this.path.slice(2));
  }

  static file(file: string): Uri {
    const slashed = process.platform === 'win32' ? file.replaceAll('\\', '/').replace(/^(?=[a-z]:)/i, '/') : file;
    return new Uri('file', slashed, `file://${slashed}`);
  }

  static from({ scheme, path, query = '' }: { scheme: string; path: string; query?: string }): Uri {
    return new Uri(scheme, path, `${scheme}:${path}?${query}`);
  }

  static parse(value: string, isStrict = false): Uri {
    const [, scheme = isStrict ? '' : 'file', authority = '', path = ''] =
      /^(?:([^:/?#]+?):)?(?:\/\/([^/?#]*))?([^?#]*)/.exec(value) ?? [];
    if (scheme === '') throw new Error(`[UriError]: Scheme is missing: {scheme: "", path: "${value}"}`);
    if (!/^\w[\w+.-]*$/.test(scheme)) throw new Error('[UriError]: Scheme contains illegal characters.');
    const isRooted = ['file', 'http', 'https'].includes(scheme) || path === '' || path.startsWith('/');
    if (authority !== '' && !isRooted) throw new Error('[UriError]: A path after an authority begins with a slash');
    if (authority === '' && path.startsWith('//')) throw new Error('[UriError]: A path without authority cannot begin with //');
    return new Uri(scheme, value, value);
  }

  static joinPath(base: Uri, ...parts: string[]): Uri {
    return Uri.file(path.posix.join(base.path, ...parts));
  }

  toString(): string {
    return this.text;
  }
}

class Range {
  constructor(...numbers: number[]) {
    if (numbers.some((number) => !Number.isInteger(number) || number < 0))
      throw new Error('Illegal argument: line must be non-negative');
  }
}

class Disposable {
  constructor(readonly dispose: () => void) {}

  static from(...all: Disposable[]): Disposable {
    return new Disposable(() => all.forEach((one) => one.dispose()));
  }
}

const deaf = (): Disposable => new Disposable(() => undefined);

/** Listeners for changes to files. */
export const fileListeners = new Set<(uri: { fsPath: string }) => void>();
const fileEvents = (listener: (uri: { fsPath: string }) => void): Disposable => {
  fileListeners.add(listener);
  return new Disposable(() => fileListeners.delete(listener));
};

type ConfigurationListener = (event: { affectsConfiguration: () => boolean }) => void;
const configurationListeners = new Set<ConfigurationListener>();

/** Notifies the listeners of a change to a settings file. */
export function settingsChanged(): void {
  for (const listener of configurationListeners) listener({ affectsConfiguration: () => true });
}

/** Problems that language extensions report, by path, and the listeners for them. */
export const problems = new Map<string, { line: number; message: string }[]>();
const problemListeners = new Set<(event: { uris: Uri[] }) => void>();

/** Reports problems in a file as a language extension does. */
export function report(file: string, ...found: { line: number; message: string }[]): void {
  problems.set(file, found);
  for (const listener of problemListeners) listener({ uris: [Uri.file(file)] });
}

const diagnosticsOf = (file: string) =>
  (problems.get(file) ?? []).map(({ line, message }) => {
    const start = { line, character: 0 };
    return { range: { start, end: start }, severity: 0, message, source: 'ts' };
  });

function called<T>(name: string, answer: (...args: never[]) => T): (...args: never[]) => T {
  return (...args) => {
    editorCalls.push({ name, args });
    return answer(...args);
  };
}

const nothing = (): Promise<undefined> => Promise.resolve(undefined);

/** Status bar item that was created last. */
export const statusItem: {
  text: string;
  tooltip?: unknown;
  backgroundColor?: unknown;
  accessibilityInformation?: { label: string };
} = { text: '' };

/** Comment thread with the properties that an extension sets. */
export interface FakeThread {
  label?: string;
  contextValue?: string;
  canReply?: boolean;
  comments: { body: string | { value: string }; mode: number; label?: string; author: { name: string } }[];
}

/** Comment threads in the editor. */
export const threads: FakeThread[] = [];

const contentProviders = new Map<string, { provideTextDocumentContent(uri: Uri): string }>();

const fake = {
  Uri,
  Range,
  Disposable,
  ConfigurationTarget: { Global: 1, Workspace: 2, WorkspaceFolder: 3 },
  env: {
    language: 'en',
    openExternal: called('openExternal', nothing),
    get appRoot() {
      return editor.appRoot;
    },
  },
  languages: {
    getDiagnostics: (uri?: Uri) =>
      uri ? diagnosticsOf(uri.path) : [...problems.keys()].map((file) => [Uri.file(file), diagnosticsOf(file)]),
    onDidChangeDiagnostics: (listener: (event: { uris: Uri[] }) => void) => {
      problemListeners.add(listener);
      return new Disposable(() => problemListeners.delete(listener));
    },
  },
  l10n: {
    t: (text: string, ...args: unknown[]) => text.replace(/\{(\d)\}/g, (_all, index: string) => String(args[Number(index)])),
    bundle: undefined,
  },
  extensions: {
    getExtension: (id: string) => editor.extensions.get(id),
  },
  commands: {
    executeCommand: called('executeCommand', (command: string) => Promise.resolve(editor.commandResults.get(command))),
  },
  ...editorTypes,
  scm,
  CancellationTokenSource: class {
    readonly token = {};
    cancel(): void {}
    dispose(): void {}
  },
  lm: {
    get tools() {
      return editor.tools;
    },
    invokeTool: async (name: string, options: { input: unknown }) => editor.invokeTool(name, options),
  },
  StatusBarAlignment: { Left: 1, Right: 2 },
  QuickPickItemKind: { Separator: -1, Default: 0 },
  InlineCompletionTriggerKind: { Invoke: 0, Automatic: 1 },
  ProgressLocation: { Notification: 15 },
  CommentMode: { Editing: 0, Preview: 1 },
  CommentThreadCollapsibleState: { Collapsed: 0, Expanded: 1 },
  comments: {
    createCommentController: () => ({
      createCommentThread: (_uri: Uri, _range: Range, comments: FakeThread['comments']) => {
        const thread = { comments, dispose: () => void threads.splice(threads.indexOf(thread), 1) };
        threads.push(thread);
        return thread;
      },
      dispose: () => undefined,
    }),
  },
  window: {
    activeTextEditor: undefined,
    visibleTextEditors: [],
    tabGroups: { all: [] },
    onDidChangeVisibleTextEditors: () => new Disposable(() => undefined),
    onDidChangeActiveTextEditor: () => new Disposable(() => undefined),
    onDidChangeTextEditorSelection: () => new Disposable(() => undefined),
    showSaveDialog: async () => Promise.resolve(undefined),
    createStatusBarItem: () =>
      Object.assign(statusItem, { show: () => undefined, hide: () => undefined, dispose: () => undefined }),
    showQuickPick: called(
      'showQuickPick',
      async (items: Thenable<readonly { label: string }[]> | readonly { label: string }[]) => {
        const label = editor.picks.shift();
        return (await items).find((item) => item.label === label);
      },
    ),
    createQuickPick: () => new FakeQuickPick(),
    showOpenDialog: called('showOpenDialog', () =>
      Promise.resolve(editor.opened.length === 0 ? undefined : editor.opened.map((file) => Uri.file(file))),
    ),
    showErrorMessage: called('showErrorMessage', nothing),
    showWarningMessage: called('showWarningMessage', () =>
      Promise.resolve(editor.answers.length > 0 ? editor.answers.shift() : editor.answer),
    ),
    showInformationMessage: called('showInformationMessage', () => Promise.resolve(editor.answer)),
    showInputBox: called('showInputBox', () => Promise.resolve(editor.answer)),
    withProgress: (_options: object, work: (progress: object, token: object) => Promise<unknown>) =>
      work(
        { report: () => undefined },
        { onCancellationRequested: (listener: () => void) => (editor.endsProgress && setImmediate(listener), deaf()) },
      ),
    showTextDocument: called('showTextDocument', (uri: Uri & { content?: string }) =>
      uri.content !== undefined || (!uri.path.includes('\0') && existsSync(uri.path))
        ? Promise.resolve({})
        : Promise.reject(new Error(`cannot open ${uri.toString()}`)),
    ),
  },
  workspace: {
    isTrusted: true,
    name: 'project',
    textDocuments: [],
    registerTextDocumentContentProvider: (scheme: string, provider: { provideTextDocumentContent(uri: Uri): string }) => {
      contentProviders.set(scheme, provider);
      return new Disposable(() => contentProviders.delete(scheme));
    },
    openTextDocument: (uri: Uri) =>
      editor.opening.then(() => {
        const content = contentProviders.get(uri.scheme)?.provideTextDocumentContent(uri);
        return { uri, languageId: path.extname(uri.path), ...(content !== undefined && { content }) };
      }),
    findFiles: () => Promise.resolve([]),
    createFileSystemWatcher: () => ({ ...deaf(), onDidChange: fileEvents, onDidCreate: deaf, onDidDelete: deaf }),
    onDidChangeTextDocument: deaf,
    onDidOpenTextDocument: deaf,
    onDidGrantWorkspaceTrust: deaf,
    onDidChangeWorkspaceFolders: deaf,
    asRelativePath: (uri: Uri, withFolder?: boolean) => {
      const own = editor.folders === null ? undefined : folderOf(uri);
      if (!own) return path.posix.relative(Uri.file(editor.folder ?? '/').path, uri.path);
      return path.posix.join(withFolder === false ? '' : own.name, path.posix.relative(own.uri.path, uri.path));
    },
    getWorkspaceFolder: (uri: Uri) => (editor.folders === null ? undefined : folderOf(uri)),
    get workspaceFolders() {
      return openFolders();
    },
    getConfiguration: configuration,
    onDidChangeConfiguration: (listener: ConfigurationListener) => {
      configurationListeners.add(listener);
      return new Disposable(() => configurationListeners.delete(listener));
    },
  },
};

function openFolders(): { name: string; uri: Uri; index: number }[] | undefined {
  if (editor.folders !== null) {
    return editor.folders.map((folder, index) => ({ name: path.basename(folder), uri: Uri.file(folder), index }));
  }
  return editor.folder === null ? undefined : [{ name: 'project', uri: Uri.file(editor.folder), index: 0 }];
}

function folderOf(uri: Uri) {
  return openFolders()?.find((folder) => uri.path.startsWith(`${folder.uri.path}/`));
}

type Load = (request: string, ...rest: unknown[]) => unknown;
const loader = Module as unknown as { _load: Load };
const load = loader._load;
loader._load = function (this: unknown, request, ...rest) {
  return request === 'vscode' ? fake : load.call(this, request, ...rest);
};
