import { basename, dirname } from 'node:path/posix';
import * as vscode from 'vscode';
import type { AttachmentRef } from '../protocol/entries';
import type { MentionItem } from '../protocol/requests/messageRequests';
import { foldedName } from '../utils/files/foldedName';
import { isFolderNamed, matchesName, patternsNaming } from '../utils/files/namePatterns';
import { expandBraces, GlobError } from '../utils/text/globs';
import { fileItem } from './editorItems';

/** Maximum number of items in a result. */
const most = 30;
/** Maximum number of files in which a name is searched. */
const maxFiles = 20_000;

/** Lists items of `kind` whose name or path contains the typed text. */
export async function mentionItems(kind: 'any' | 'file' | 'folder' | 'symbol', typed: string): Promise<MentionItem[]> {
  if (kind === 'symbol') return symbols(typed);
  const query = typed.replace(/^(?:\.?\/)+/, '');
  const uris = await found(query);
  const files = uris.map(fileItem);
  if (kind === 'folder') return listFolders(files, query);
  const listed = files.map((item) => ({ label: basename(item.path), about: dirname(item.path), item }));
  if (kind === 'file') return ranked(listed, query).slice(0, most);
  return [...ranked(listed, query).slice(0, most - 8), ...listFolders(files, query).slice(0, 8)];
}

/** Finds the files whose path matches the query. Without a query, returns open files. */
async function found(query: string): Promise<vscode.Uri[]> {
  const open = vscode.window.tabGroups.all
    .flatMap(({ tabs }) => tabs.map(({ input }) => input))
    .flatMap((input) => (input instanceof vscode.TabInputText && input.uri.scheme === 'file' ? [input.uri] : []));
  if (query === '') {
    const others = open.length < most ? await vscode.workspace.findFiles('**/*', searchExclude(), most) : [];
    return unique([...open, ...others]);
  }
  // With several folders, a path starts with the name of its folder. A glob cannot contain this name.
  const inFolder = (vscode.workspace.workspaceFolders ?? []).length > 1 ? query.slice(query.indexOf('/') + 1) : query;
  const patterns = new Set([query, inFolder].filter((one) => one !== '').flatMap(patternsNaming));
  const exclude = searchExclude();
  const lists = await Promise.all([...patterns].map((pattern) => vscode.workspace.findFiles(pattern, exclude, maxFiles)));
  return unique([...open, ...lists.flat()]).filter((uri) => matchesName(fileItem(uri).path, query));
}

/** Builds a glob from the user's `search.exclude` patterns. `findFiles` adds `files.exclude` itself. */
function searchExclude(): string | undefined {
  const patterns = vscode.workspace.getConfiguration('search').get<Record<string, unknown>>('exclude') ?? {};
  // The editor does not support nested braces.
  const excluded = Object.keys(patterns).flatMap((pattern) => (patterns[pattern] === true ? withoutBraces(pattern) : []));
  return excluded.length > 0 ? `{${excluded.join(',')}}` : undefined;
}

/**
 * Expands the braces of a pattern. Returns an empty list if the pattern is invalid. The result
 * list then includes files that searches exclude.
 */
function withoutBraces(pattern: string): string[] {
  try {
    return expandBraces(pattern);
  } catch (error) {
    if (error instanceof GlobError) return [];
    throw error;
  }
}

function unique(uris: readonly vscode.Uri[]): vscode.Uri[] {
  return [...new Map(uris.map((uri) => [uri.path, uri])).values()];
}

/** Sorts items. Names that start with the query come first, then names and paths that contain it. */
function ranked(items: readonly MentionItem[], query: string): MentionItem[] {
  const wanted = foldedName(query.split('/').at(-1) ?? '');
  const rank = ({ label }: MentionItem) => {
    const at = foldedName(label).indexOf(wanted);
    return at === 0 ? 0 : at > 0 ? 1 : 2;
  };
  return items
    .map((item, index) => ({ item, index, rank: rank(item) }))
    .sort((one, other) => one.rank - other.rank || one.item.label.length - other.item.label.length || one.index - other.index)
    .map(({ item }) => item);
}

function listFolders(files: readonly AttachmentRef[], query: string): MentionItem[] {
  const folders = new Set<string>();
  for (const { path } of files) {
    for (let folder = dirname(path); folder !== '.' && folder !== '/'; folder = dirname(folder)) folders.add(folder);
  }
  const fitting = [...folders].filter((folder) => isFolderNamed(folder, query));
  const items = fitting.map((path): MentionItem => ({
    label: `${basename(path)}/`,
    about: dirname(path) === '.' ? '' : dirname(path),
    item: { kind: 'folder', path },
  }));
  return ranked(items, query).slice(0, most);
}

async function symbols(query: string): Promise<MentionItem[]> {
  if (query === '') return [];
  const given = await vscode.commands.executeCommand<vscode.SymbolInformation[] | undefined>(
    'vscode.executeWorkspaceSymbolProvider',
    query,
  );
  return (given ?? [])
    .filter(({ location }) => location.uri.scheme === 'file' && vscode.workspace.getWorkspaceFolder(location.uri) !== undefined)
    .slice(0, most)
    .map(({ name, location }) => {
      const { path } = fileItem(location.uri);
      const lines = { startLine: location.range.start.line + 1, endLine: location.range.end.line + 1 };
      return { label: name, about: `${path}:${lines.startLine}`, item: { kind: 'selection', path, ...lines } };
    });
}
