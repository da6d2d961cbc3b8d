import * as vscode from 'vscode';
import { DisposableStore } from '../../utils/disposable';
import { ChatViewProvider } from '../../views/chatView';
import { snapshotScheme } from '../../vscode/review/snapshotScheme';
import type { Contribution } from '../contribution';

/** The chat in the side bar, the stored states of files that it opens, and the problems of the storage for who does not see it. */
export const viewContribution: Contribution = {
  name: 'view',
  start({ view, chat, storage }) {
    const store = new DisposableStore();
    const text = async (uri: vscode.Uri) => (await chat()).documents.textOf(uri);
    store.add(vscode.window.registerWebviewViewProvider(ChatViewProvider.viewId, view));
    store.add(vscode.workspace.registerTextDocumentContentProvider(snapshotScheme, { provideTextDocumentContent: text }));
    /** The problem a person was last told of, by its code. */
    let told: string | null = null;
    store.add(
      storage.onDidChange(({ state, problem }) => {
        if (state === 'open' && problem === null) told = null;
        if (state === 'opening' || problem === null || problem.code === told) return;
        told = problem.code;
        void view.tellStorageProblem(problem.message);
      }),
    );
    return store;
  },
};
