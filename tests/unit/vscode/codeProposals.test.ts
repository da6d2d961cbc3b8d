import { editorCalls } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import * as vscode from 'vscode';
import { ChangeReview } from '../../../src/vscode/review/changeReview';
import { CodeProposals } from '../../../src/vscode/codeProposals';
import { SnapshotDocuments } from '../../../src/vscode/review/snapshotDocuments';

type Listener = (event: { closed: vscode.Tab[] }) => void;

/** Tabs in one group, with the active tab last. `vscode.diff` opens a tab. */
class Tabs {
  readonly tabs: vscode.Tab[] = [];
  private readonly listeners = new Set<Listener>();
  readonly all = [{ tabs: this.tabs }];
  readonly onDidChangeTabs = (listener: Listener) => {
    this.listeners.add(listener);
    return { dispose: () => this.listeners.delete(listener) };
  };

  get activeTabGroup() {
    return { activeTab: this.tabs.at(-1) };
  }

  get listenerCount(): number {
    return this.listeners.size;
  }

  open(left: vscode.Uri, right: vscode.Uri): void {
    this.tabs.push({ input: new vscode.TabInputTextDiff(left, right) } as vscode.Tab);
    this.tell([]);
  }

  close(closed: readonly vscode.Tab[]): Promise<boolean> {
    for (const tab of closed) this.tabs.splice(this.tabs.indexOf(tab), 1);
    this.tell([...closed]);
    return Promise.resolve(true);
  }

  private tell(closed: vscode.Tab[]): void {
    for (const listener of this.listeners) listener({ closed });
  }
}

describe('Code of an answer that is to be applied', () => {
  const api = vscode as unknown as Record<'window' | 'workspace' | 'commands', Record<string, unknown>>;
  const { openTextDocument, applyEdit } = api.workspace;
  const before = { window: { ...api.window }, workspace: { openTextDocument, applyEdit }, commands: { ...api.commands } };
  const uri = vscode.Uri.file('/project/a.ts');
  let tabs: Tabs;
  let text: string;
  let isWritable: boolean;
  let contexts: unknown[];
  let proposals: CodeProposals;

  beforeEach(() => {
    editorCalls.length = 0;
    tabs = new Tabs();
    text = 'old();\n';
    isWritable = true;
    contexts = [];
    const document = { uri, getText: () => text, offsetAt: ({ line }: { line: number }) => (line === 0 ? 0 : text.length) };
    Object.assign(api.window, { tabGroups: tabs, showTextDocument: async () => editorCalls.push({ name: 'shown', args: [] }) });
    Object.assign(api.workspace, {
      openTextDocument: async () => document,
      applyEdit: async ({ edits }: { edits: { text: string }[] }) => {
        if (isWritable) text = edits[0]?.text ?? '';
        return isWritable;
      },
    });
    Object.assign(api.commands, {
      executeCommand: async (command: string, ...args: unknown[]) => {
        if (command === 'vscode.diff') tabs.open(args[0] as vscode.Uri, args[1] as vscode.Uri);
        else if (command === 'setContext') contexts.push(args[1]);
        else editorCalls.push({ name: command, args });
      },
    });
    proposals = new CodeProposals(new ChangeReview(new SnapshotDocuments(() => undefined)));
  });
  afterEach(() => {
    Object.assign(api.window, before.window);
    Object.assign(api.workspace, before.workspace);
    Object.assign(api.commands, before.commands);
  });

  const show = async () => {
    const range = { start: { line: 0 }, end: { line: 1 } } as vscode.Range;
    await proposals.show({ document: await vscode.workspace.openTextDocument(uri), range, text: 'new();\n' });
  };
  const dialogs = () => editorCalls.filter(({ name }) => /Message$/.test(name));

  it('is shown as a change whose tab asks, without a dialog', async () => {
    await show();
    assert.deepEqual([tabs.tabs.length, contexts, dialogs(), text], [1, [true], [], 'old();\n']);
  });

  it('is applied from the tab, which closes then', async () => {
    await show();
    await proposals.apply();
    assert.deepEqual([text, tabs.tabs, contexts], ['new();\n', [], [true, false]]);
    assert.deepEqual(
      editorCalls.map(({ name }) => name),
      ['shown'],
    );
  });

  it('is discarded from the tab, which closes then, and the chat has the focus again', async () => {
    await show();
    await proposals.discard();
    assert.deepEqual([text, tabs.tabs, contexts], ['old();\n', [], [true, false]]);
    assert.deepEqual(
      editorCalls.map(({ name }) => name),
      ['ollamaCopilot.chatView.focus'],
    );
  });

  it('is discarded where the tab is closed', async () => {
    await show();
    await tabs.close([...tabs.tabs]);
    assert.deepEqual([contexts, tabs.listenerCount], [[true, false], 0]);
    await assert.rejects(proposals.apply(), { code: 'cannotApply' });
  });

  it('waits while another tab is in front, and is not answered by its keys', async () => {
    await show();
    tabs.open(uri, vscode.Uri.file('/project/other.ts'));
    assert.deepEqual(contexts, [true, false]);
    await assert.rejects(proposals.discard(), { code: 'cannotApply' });
    await tabs.close([tabs.tabs[1] as vscode.Tab]);
    assert.deepEqual(contexts, [true, false, true]);
    await proposals.apply();
    assert.equal(text, 'new();\n');
  });

  it('is not applied to a file that was changed meanwhile or cannot be changed, and that is told', async () => {
    await show();
    text = 'typed();\n';
    await assert.rejects(proposals.apply(), { code: 'cannotApply' });
    assert.deepEqual([text, tabs.tabs], ['typed();\n', []]);
    await show();
    isWritable = false;
    await assert.rejects(proposals.apply(), { code: 'cannotApply' });
    assert.deepEqual([text, tabs.tabs], ['typed();\n', []]);
  });

  it('leaves no tab behind a question that an undo asks', async () => {
    const review = new ChangeReview(new SnapshotDocuments(() => undefined));
    let during = 0;
    Object.assign(api.window, { showWarningMessage: async () => void (during = tabs.tabs.length) });
    assert.equal(await review.replace({ path: '/project/a.ts', shown: 'a.ts', why: 'undo', text: 'x' }), false);
    assert.deepEqual([during, tabs.tabs], [1, []]);
  });
});
