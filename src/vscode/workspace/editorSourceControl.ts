import type * as vscode from 'vscode';
import type { SourceControlChange, SourceControlPort } from '../../agent/kernel/ports';
import { gitApi } from './gitExtension';

/** Part of the Git extension's API (version 1). */
interface GitChange {
  readonly uri: vscode.Uri;
  readonly status: number;
}
interface GitRepositories {
  readonly repositories: readonly {
    readonly state: {
      readonly indexChanges: readonly GitChange[];
      readonly workingTreeChanges: readonly GitChange[];
      readonly untrackedChanges?: readonly GitChange[];
      readonly mergeChanges: readonly GitChange[];
    };
    status?(): Promise<void>;
  }[];
}

/** Values of `Status` in the Git extension for added or untracked files. All values not listed here mean modified. */
const added = new Set([1, 4, 7, 9]);
/** Values of `Status` for deleted files. */
const deleted = new Set([2, 6]);
/** Values of `Status` for renamed files. */
const renamed = new Set([3, 10]);
const ignored = 8;

/** Reads the state of VS Code's Git extension. Does not start a Git process. */
export class EditorSourceControl implements SourceControlPort {
  async changed(): Promise<SourceControlChange[] | null> {
    const repositories = (await gitApi<GitRepositories>())?.repositories ?? [];
    if (repositories.length === 0) return null;
    for (const repository of repositories) await repository.status?.();
    return repositories.flatMap(({ state }) =>
      [...state.mergeChanges, ...state.indexChanges, ...state.workingTreeChanges, ...(state.untrackedChanges ?? [])]
        .filter(({ uri, status }) => uri.scheme === 'file' && status !== ignored)
        .map(({ uri, status }) => ({ file: uri.fsPath, status: toStatus(status) })),
    );
  }
}

function toStatus(status: number): SourceControlChange['status'] {
  if (added.has(status)) return 'added';
  if (deleted.has(status)) return 'deleted';
  return renamed.has(status) ? 'renamed' : 'modified';
}
