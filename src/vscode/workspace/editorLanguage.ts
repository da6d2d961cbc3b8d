import * as vscode from 'vscode';
import type { CodeHierarchy, CodePlace, CodeRelation, CodeSymbol, LanguagePort } from '../../agent/kernel/languagePort';
import type { Clock } from '../../utils/clock';
import { withTimeout } from '../../utils/withTimeout';
import { openUri } from './openFiles';

/** Maximum time for a response, in milliseconds. */
const answerTime = 15_000;
/** Milliseconds between requests to a language server that may still be starting. */
const startPause = 1000;
/** Maximum number of these requests. */
const starts = 3;

const relations: Readonly<Record<CodeRelation, string>> = {
  definition: 'vscode.executeDefinitionProvider',
  references: 'vscode.executeReferenceProvider',
  implementations: 'vscode.executeImplementationProvider',
};

/** Queries VS Code's language extensions. Opens documents without showing them. */
export class EditorLanguage implements LanguagePort {
  /** Pairs of language and command with a response in this window. Their language server has loaded the project. */
  private readonly answered = new Set<string>();

  constructor(private readonly clock: Clock) {}

  async text(file: string): Promise<{ text: string; language: string } | null> {
    try {
      const document = await vscode.workspace.openTextDocument(openUri(file));
      return { text: document.getText(), language: document.languageId };
    } catch {
      return null;
    }
  }

  async symbols(file: string, signal: AbortSignal): Promise<CodeSymbol[] | null> {
    type Answer = (vscode.DocumentSymbol | vscode.SymbolInformation)[];
    const found = await this.patiently<Answer>(file, 'vscode.executeDocumentSymbolProvider', [openUri(file)], signal);
    return found === undefined ? null : found.map((symbol) => ('children' in symbol ? toTree(file, symbol) : toSymbol(symbol)));
  }

  async find(query: string, signal: AbortSignal): Promise<CodeSymbol[]> {
    type Answer = vscode.SymbolInformation[];
    return ((await this.asked<Answer>('vscode.executeWorkspaceSymbolProvider', [query], signal)) ?? [])
      .filter(({ location }) => location.uri.scheme === 'file')
      .map(toSymbol);
  }

  async related(relation: CodeRelation, { file, ...place }: CodePlace, signal: AbortSignal): Promise<CodePlace[]> {
    type Answer = (vscode.Location | vscode.LocationLink)[];
    // Before a server has loaded the project, it returns the import as the definition.
    const isElsewhere = (one: Answer[number]) => {
      const at = 'targetUri' in one ? one.targetRange : one.range;
      return ('targetUri' in one ? one.targetUri : one.uri).fsPath !== file || at.start.line + 1 !== place.line;
    };
    const args = [openUri(file), toPosition(place)];
    const found = await this.patiently<Answer>(file, relations[relation], args, signal, (all) => all.some(isElsewhere));
    return (found ?? []).flatMap((one) => {
      const [uri, range] =
        'targetUri' in one ? [one.targetUri, one.targetSelectionRange ?? one.targetRange] : [one.uri, one.range];
      return uri.scheme === 'file' ? [placeAt(uri, range.start)] : [];
    });
  }

  async hover({ file, ...place }: CodePlace, signal: AbortSignal): Promise<string[]> {
    const args = [openUri(file), toPosition(place)];
    const found = await this.patiently<vscode.Hover[]>(file, 'vscode.executeHoverProvider', args, signal);
    return (found ?? []).flatMap(({ contents }) => contents.map((one) => (typeof one === 'string' ? one : one.value)));
  }

  async hierarchy(kind: CodeHierarchy, { file, ...place }: CodePlace, signal: AbortSignal): Promise<CodeSymbol[]> {
    const isOfCalls = kind === 'callers' || kind === 'callees';
    type Item = vscode.CallHierarchyItem | vscode.TypeHierarchyItem;
    const prepare = isOfCalls ? 'vscode.prepareCallHierarchy' : 'vscode.prepareTypeHierarchy';
    const roots = (await this.patiently<Item[]>(file, prepare, [openUri(file), toPosition(place)], signal)) ?? [];
    const found: CodeSymbol[] = [];
    for (const root of roots) {
      if (kind === 'callers') {
        const calls = await this.asked<vscode.CallHierarchyIncomingCall[]>('vscode.provideIncomingCalls', [root], signal);
        for (const { from, fromRanges } of calls ?? []) found.push(toCodeSymbol(from, fromRanges[0]?.start));
      } else if (kind === 'callees') {
        const calls = await this.asked<vscode.CallHierarchyOutgoingCall[]>('vscode.provideOutgoingCalls', [root], signal);
        for (const { to } of calls ?? []) found.push(toCodeSymbol(to));
      } else {
        const command = kind === 'supertypes' ? 'vscode.provideSupertypes' : 'vscode.provideSubtypes';
        for (const item of (await this.asked<vscode.TypeHierarchyItem[]>(command, [root], signal)) ?? [])
          found.push(toCodeSymbol(item));
      }
    }
    return found.filter((symbol) => symbol.file !== '');
  }

  /** Retries an empty response of a language server that has not responded in this window, because it may still be starting. */
  private async patiently<T extends readonly unknown[]>(
    file: string,
    command: string,
    args: readonly unknown[],
    signal: AbortSignal,
    isEnough: (found: T) => boolean = ({ length }) => length > 0,
  ): Promise<T | undefined> {
    const question = `${(await this.text(file))?.language ?? ''} ${command}`;
    for (let attempt = 1; ; attempt += 1) {
      const found = await this.asked<T>(command, args, signal);
      const isDone = found === undefined || isEnough(found);
      if (isDone && found !== undefined) this.answered.add(question);
      const mayCome = !isDone && !this.answered.has(question) && !signal.aborted;
      if (!mayCome || attempt === starts) return found;
      await withTimeout(new Promise<void>(() => undefined), startPause, this.clock, signal);
    }
  }

  /** Resolves with undefined if no extension responds in time. */
  private async asked<T>(command: string, args: readonly unknown[], signal: AbortSignal): Promise<T | undefined> {
    const answer = Promise.resolve(vscode.commands.executeCommand<T | undefined>(command, ...args)).catch(() => undefined);
    return withTimeout(answer, answerTime, this.clock, signal);
  }
}

function toPosition({ line, column }: { line: number; column: number }): vscode.Position {
  return new vscode.Position(line - 1, column - 1);
}

function placeAt({ fsPath }: vscode.Uri, { line, character }: vscode.Position): CodePlace {
  return { file: fsPath, line: line + 1, column: character + 1 };
}

function nameKind(kind: vscode.SymbolKind): string {
  return (vscode.SymbolKind[kind] ?? 'symbol').toLowerCase();
}

function toTree(file: string, { name, kind, range, selectionRange, children }: vscode.DocumentSymbol): CodeSymbol {
  const { line, character } = selectionRange.start;
  return {
    file,
    line: line + 1,
    column: character + 1,
    name,
    kind: nameKind(kind),
    endLine: range.end.line + 1,
    children: children.map((child) => toTree(file, child)),
  };
}

function toSymbol({ name, kind, location, containerName }: vscode.SymbolInformation): CodeSymbol {
  const place = placeAt(location.uri, location.range.start);
  const container = containerName === '' ? {} : { container: containerName };
  return { ...place, name, kind: nameKind(kind), endLine: location.range.end.line + 1, ...container, children: [] };
}

function toCodeSymbol(item: vscode.CallHierarchyItem | vscode.TypeHierarchyItem, at?: vscode.Position): CodeSymbol {
  const { name, kind, uri, range, selectionRange } = item;
  const place = placeAt(uri, at ?? selectionRange.start);
  const file = uri.scheme === 'file' ? place.file : '';
  return { ...place, file, name, kind: nameKind(kind), endLine: range.end.line + 1, children: [] };
}
