interface FakePickItem {
  label: string;
  description?: string;
  detail?: string;
  alwaysShow?: boolean;
  kind?: number;
}

/** A quick pick that an extension fills. A test types into it and accepts an entry by its label. */
export class FakeQuickPick {
  /** Quick pick that was shown last. */
  static last: FakeQuickPick | undefined;
  /** If false, the user closes every quick pick at once. */
  static isAttended = false;

  title: string | undefined;
  placeholder: string | undefined;
  value = '';
  busy = false;
  matchOnDescription = false;
  activeItems: readonly FakePickItem[] = [];
  selectedItems: readonly FakePickItem[] = [];
  isShown = false;
  private all: readonly FakePickItem[] = [];
  private readonly valueListeners: ((value: string) => void)[] = [];
  private readonly acceptListeners: (() => void)[] = [];
  private readonly hideListeners: (() => void)[] = [];

  readonly onDidChangeValue = (listener: (value: string) => void) => void this.valueListeners.push(listener);
  readonly onDidAccept = (listener: () => void) => void this.acceptListeners.push(listener);
  readonly onDidHide = (listener: () => void) => void this.hideListeners.push(listener);

  get items(): readonly FakePickItem[] {
    return this.all;
  }

  /** Moves the focus to the first entry, as the editor does. */
  set items(items: readonly FakePickItem[]) {
    this.all = items;
    this.activeItems = items.filter(({ kind }) => kind !== -1).slice(0, 1);
  }

  /** Labels of the entries that the editor shows for the typed text, because they contain it. */
  get labels(): string[] {
    const has = (text = '') => text.toLowerCase().includes(this.value.toLowerCase());
    return this.all
      .filter(({ kind }) => kind !== -1)
      .filter((item) => item.alwaysShow === true || has(item.label) || (this.matchOnDescription && has(item.description)))
      .map(({ label }) => label);
  }

  show(): void {
    this.isShown = true;
    FakeQuickPick.last = this;
    if (!FakeQuickPick.isAttended) setImmediate(() => this.hide());
  }

  type(text: string): void {
    this.value = text;
    this.valueListeners.forEach((listener) => listener(text));
  }

  accept(label: string): void {
    const item = this.all.find((one) => one.label === label);
    if (item === undefined) throw new Error(`No entry ${label}`);
    this.selectedItems = [item];
    this.acceptListeners.forEach((listener) => listener());
  }

  hide(): void {
    if (!this.isShown) return;
    this.isShown = false;
    this.hideListeners.forEach((listener) => listener());
  }

  dispose(): void {
    this.hide();
  }
}

/** Value types of the editor's API that only store their arguments. */
export const editorTypes = {
  TabInputText: class {
    constructor(readonly uri?: unknown) {}
  },
  TabInputTextDiff: class {
    constructor(
      readonly original: unknown,
      readonly modified: unknown,
    ) {}
  },
  Selection: class {
    readonly isEmpty: boolean;
    constructor(
      readonly start: { line: number; character: number },
      readonly active: { line: number; character: number },
    ) {
      this.isEmpty = start.line === active.line && start.character === active.character;
    }
  },
  WorkspaceEdit: class {
    readonly edits: { uri: unknown; range: unknown; text: string }[] = [];
    replace(uri: unknown, range: unknown, text: string): void {
      this.edits.push({ uri, range, text });
    }
  },
  LanguageModelTextPart: class {
    constructor(readonly value: string) {}
  },
  LanguageModelToolResult: class {
    constructor(readonly content: unknown[]) {}
  },
  ThemeIcon: class {
    constructor(readonly id: string) {}
  },
  ThemeColor: class {
    constructor(readonly id: string) {}
  },
  MarkdownString: class {
    constructor(public value = '') {}
    appendMarkdown(text: string): this {
      this.value += text;
      return this;
    }
    appendCodeblock(text: string): this {
      return this.appendMarkdown(`\n\`\`\`\n${text}\n\`\`\`\n`);
    }
  },
  Hover: class {
    constructor(
      readonly contents: unknown,
      readonly range?: unknown,
    ) {}
  },
  CodeLens: class {
    constructor(
      readonly range: unknown,
      readonly command?: unknown,
    ) {}
  },
  EventEmitter: class<T> {
    private readonly listeners = new Set<(value: T) => void>();
    readonly event = (listener: (value: T) => void) => {
      this.listeners.add(listener);
      return { dispose: () => this.listeners.delete(listener) };
    };
    fire(value: T): void {
      for (const listener of this.listeners) listener(value);
    }
    dispose(): void {
      this.listeners.clear();
    }
  },
  EndOfLine: { LF: 1, CRLF: 2 },
  DiagnosticSeverity: { Error: 0, Warning: 1, Information: 2, Hint: 3 },
  ColorThemeKind: { Light: 1, Dark: 2, HighContrast: 3, HighContrastLight: 4 },
  OverviewRulerLane: { Center: 2 },
};

/** Source control in the editor's list, in order of registration. Disposed source controls are removed. */
export interface FakeSourceControl {
  id: string;
  rootUri: { path: string } | undefined;
}
export const sourceControls: FakeSourceControl[] = [];

export const scm = {
  createSourceControl: (id: string, _label: string, rootUri?: { path: string }) => {
    const control = {
      id,
      rootUri,
      inputBox: {},
      quickDiffProvider: undefined,
      dispose: () => sourceControls.splice(sourceControls.indexOf(control), 1),
    };
    sourceControls.push(control);
    return control;
  },
};
