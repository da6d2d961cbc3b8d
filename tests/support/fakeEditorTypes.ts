/** Values of the editor's API that only hold what they are given. */
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
  WorkspaceEdit: class {
    readonly edits: { uri: unknown; range: unknown; text: string }[] = [];
    replace(uri: unknown, range: unknown, text: string): void {
      this.edits.push({ uri, range, text });
    }
  },
  LanguageModelTextPart: class {
    constructor(readonly value: string) {}
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
  ColorThemeKind: { Light: 1, Dark: 2, HighContrast: 3, HighContrastLight: 4 },
  OverviewRulerLane: { Center: 2 },
};

/** A source control as the editor lists it, in the order in which they were registered; gone ones are not in it. */
export interface FakeSourceControl {
  id: string;
  rootUri: { path: string } | undefined;
}
export const sourceControls: FakeSourceControl[] = [];

export const scm = {
  createSourceControl: (id: string, _label: string, rootUri?: { path: string }) => {
    const control = {
      ...{ id, rootUri, inputBox: {}, quickDiffProvider: undefined },
      dispose: () => sourceControls.splice(sourceControls.indexOf(control), 1),
    };
    sourceControls.push(control);
    return control;
  },
};
