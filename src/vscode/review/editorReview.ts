import * as vscode from 'vscode';
import { OtherChats, type OtherChatSources } from '../../services/review/otherChats';
import type { ReviewHunk } from '../../services/review/reviewTypes';
import { DisposableStore } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import { onDidOpenRepository } from '../workspace/gitRepositories';
import { openUri } from '../workspace/openFiles';
import { BaseDocuments } from './baseDocuments';
import { baseScheme } from './baseScheme';
import { ChangedFileBadges, type PendingBadge } from './changedFileBadges';
import { HunkDecorations } from './hunkDecorations';
import { HunkHover, type OriginOf } from './hunkHover';
import { HunkLenses } from './hunkLenses';
import { HunkQuickFixes } from './hunkQuickFixes';
import type { VscodeReviewEditor } from './reviewEditor';
import { ReviewStatusItem } from './reviewStatusItem';
import type { ShownReviews } from './shownReviews';

const everyFile: vscode.DocumentSelector = { scheme: 'file' };
/** Minimum time between two redraws, in milliseconds. User typing and agent edits cause many redraw requests per second. */
const pause = 30;
/** Milliseconds without typing until the changes of another chat are compared again. */
const typingPause = 300;

export interface EditorReviewParts {
  service: ShownReviews;
  editor: VscodeReviewEditor;
  /** Returns the message that a change belongs to. */
  originOf: OriginOf;
  others: Omit<OtherChatSources, 'isInWindow'>;
  extensionUri: vscode.Uri;
  logger: Logger;
}

/** Shows the state of the review service: decorations, lenses, change bars, hovers, badges and a status bar item. */
export class EditorReview extends DisposableStore {
  private readonly decorations: HunkDecorations;
  private readonly lenses: HunkLenses;
  private readonly base: BaseDocuments;
  private readonly badges = this.add(new ChangedFileBadges());
  private readonly status = this.add(new ReviewStatusItem());
  private readonly contexts = new Map<string, boolean>();
  private readonly others: OtherChats;
  private timer: NodeJS.Timeout | undefined;
  private looking: NodeJS.Timeout | undefined;

  constructor(private readonly parts: EditorReviewParts) {
    super();
    const { service, editor, extensionUri, originOf, logger } = parts;
    const arrow = (kind: string) => vscode.Uri.joinPath(extensionUri, 'resources', 'icons', `currentChange-${kind}.svg`);
    const hunksOf = (document: vscode.TextDocument) => this.hunksOf(document);
    const otherChat = (document: vscode.TextDocument) => this.others.findSession(editor.realPath(document) ?? '');
    const isInWindow = (path: string) => vscode.workspace.getWorkspaceFolder(openUri(path)) !== undefined;
    this.others = this.add(new OtherChats({ ...parts.others, isInWindow }, editor, parts.logger, () => this.later()));
    this.decorations = this.add(new HunkDecorations({ light: arrow('light'), dark: arrow('dark') }));
    this.lenses = this.add(new HunkLenses(hunksOf, otherChat));
    this.base = this.add(new BaseDocuments(hunksOf));
    for (const registered of [
      vscode.languages.registerCodeLensProvider(everyFile, this.lenses),
      vscode.languages.registerHoverProvider(everyFile, new HunkHover(hunksOf, originOf, otherChat)),
      vscode.languages.registerCodeActionsProvider(everyFile, new HunkQuickFixes(hunksOf), {
        providedCodeActionKinds: [vscode.CodeActionKind.QuickFix],
      }),
      vscode.workspace.registerTextDocumentContentProvider(baseScheme, this.base),
      vscode.window.registerFileDecorationProvider(this.badges),
      vscode.window.onDidChangeVisibleTextEditors(() => {
        this.others.shownChanged();
        this.later();
      }),
      editor.onDidChangeText(({ path }) => {
        if (this.others.isWaiting(path)) this.lookLater();
      }),
      vscode.window.onDidChangeActiveColorTheme(() => {
        this.decorations.themeChanged();
        this.later();
      }),
      service.onDidChangeHunks(({ path }) => {
        this.base.refresh(openUri(path));
        this.later();
      }),
      service.onDidResolveFile(() => void this.lookElsewhere()),
      service.onDidChangePosition(() => this.later()),
      editor.onDidMoveCursor(() => this.showPosition()),
      onDidOpenRepository(() => this.base.comeFirst(), logger),
    ])
      this.add(registered);
    this.add({ dispose: () => [this.timer, this.looking].forEach((timer) => clearTimeout(timer)) });
    void this.lookElsewhere();
    this.later();
  }

  /** Updates the files with pending changes in other sessions. */
  async lookElsewhere(): Promise<void> {
    await this.others.refresh();
  }

  private lookLater(): void {
    clearTimeout(this.looking);
    this.looking = setTimeout(() => void this.others.refreshVisible(), typingPause);
  }

  override async dispose(): Promise<void> {
    for (const key of this.contexts.keys()) void vscode.commands.executeCommand('setContext', key, false);
    await super.dispose();
  }

  /** Returns the hunks of the shown chats in a document. If there are none, returns the hunks of another chat. */
  private drawnHunks(document: vscode.TextDocument): readonly ReviewHunk[] {
    const path = this.parts.editor.realPath(document) ?? '';
    return this.parts.service.getState(path)?.hunks ?? this.others.listHunks(path);
  }

  private hunksOf(document: vscode.TextDocument): readonly ReviewHunk[] {
    const path = this.parts.editor.realPath(document);
    return (path === undefined ? undefined : this.parts.service.getState(path)?.hunks) ?? [];
  }

  private later(): void {
    this.timer ??= setTimeout(() => {
      this.timer = undefined;
      this.draw();
    }, pause);
  }

  private draw(): void {
    const editors = vscode.window.visibleTextEditors;
    const current = this.parts.service.hunkAt()?.id ?? null;
    this.decorations.retain(editors);
    for (const editor of editors) {
      const isActive = editor === vscode.window.activeTextEditor;
      this.decorations.draw(editor, this.drawnHunks(editor.document), isActive ? current : null);
    }
    this.lenses.refresh();
    this.base.show(this.parts.service.files.length > 0);
    this.badges.update(this.waiting());
    this.showPosition();
  }

  private showPosition(): void {
    const { service, editor } = this.parts;
    const at = editor.cursor();
    const position = service.getChangePosition(at);
    this.status.update(position ?? null);
    const state = at === undefined ? undefined : service.getState(at.path);
    this.setContext('ollamaCopilot.reviewActive', (position?.total ?? 0) > 0);
    this.setContext('ollamaCopilot.fileInReview', state !== undefined);
    this.setContext('ollamaCopilot.onHunk', service.hunkAt(at) !== undefined);
    const active = vscode.window.activeTextEditor;
    if (active) this.decorations.draw(active, this.drawnHunks(active.document), position?.hunkId ?? null);
  }

  private waiting(): Map<string, PendingBadge> {
    const files = new Map<string, PendingBadge>();
    for (const path of this.others.paths) files.set(openUri(path).toString(), { changes: 1, isInFront: false });
    for (const { path, hunks } of this.parts.service.files)
      files.set(openUri(path).toString(), { changes: Math.max(1, hunks.length), isInFront: true });
    return files;
  }

  private setContext(key: string, value: boolean): void {
    if (this.contexts.get(key) === value) return;
    this.contexts.set(key, value);
    void vscode.commands.executeCommand('setContext', key, value);
  }
}
