import * as vscode from 'vscode';
import { DisposableStore } from '../../utils/disposable';
import { ChatViewProvider } from '../../views/chatView';
import { snapshotScheme } from '../../vscode/review/snapshotScheme';
import type { Contribution } from '../contribution';

/** Registers the chat view and the snapshot documents. Reports storage errors while the view is hidden. */
export const viewContribution: Contribution = {
  name: 'view',
  start({ view, chat, storage }) {
    const store = new DisposableStore();
    const text = async (uri: vscode.Uri) => (await chat()).documents.readText(uri);
    store.add(vscode.window.registerWebviewViewProvider(ChatViewProvider.viewId, view));
    store.add(vscode.workspace.registerTextDocumentContentProvider(snapshotScheme, { provideTextDocumentContent: text }));
    /** Code of the last reported error. */
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
