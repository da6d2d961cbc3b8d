import type { ContextMeter } from '../../agent/context/contextMeter';
import type { ChatForRequest } from '../../agent/prompt/nextRequest';
import type { PromptPreparer } from '../../agent/prompt/promptPreparer';
import type { AttachmentReader } from '../../agent/prompt/attachmentReader';
import type { MentionReader } from '../../agent/prompt/mentionReader';
import type { AttachmentRef } from '../../protocol/entries';
import type { ViewPort } from '../../protocol/rpc';
import type { LogEvent } from '../../protocol/webviewEvents';
import type { DatabaseService } from '../../services/database/databaseService';
import type { ModelCatalog } from '../../services/model/catalogue/modelCatalog';
import type { ChatMode } from '../../types/modes';
import { CoalescedTask } from '../../utils/coalescedTask';
import type { Disposable } from '../../utils/disposable';
import type { Logger } from '../../utils/logger';
import { DraftLengths } from './draftLengths';
import { WholeLog } from './wholeLog';

/** Attachments of a message that the user is writing. `sessionId` is null for a chat without messages. */
export interface DraftAttachments {
  sessionId: string | null;
  attachments: readonly AttachmentRef[];
  /** Items in the editor that are sent with the message. */
  implicit?: readonly AttachmentRef[];
}

export interface ContextSources {
  meter: ContextMeter;
  catalog: Pick<ModelCatalog, 'state' | 'loaded'>;
  log: Pick<DatabaseService['log'], 'read' | 'onDidChange'>;
  logger: Logger;
  /** Prepares the next request of the chat. */
  preparer: Pick<PromptPreparer, 'prepare' | 'isPrepared'>;
  attachments: Pick<AttachmentReader, 'readUnasked'>;
  mentions: Pick<MentionReader, 'estimateLength'>;
  active(): { sessionId: string | null; mode: ChatMode };
}

/**
 * Sends the context window usage to the view, one update at a time. Runs after `refresh`, and after log entries that add
 * messages to the prompt or remove them.
 */
export class ContextFeed implements Disposable {
  private readonly refreshTask = new CoalescedTask(() => this.work());
  private readonly lengths: DraftLengths;
  private readonly log: WholeLog;
  private readonly listener: Disposable;
  private opening: Promise<unknown> = Promise.resolve();
  private draft: DraftAttachments = { sessionId: null, attachments: [] };

  constructor(
    private readonly sources: ContextSources,
    private readonly view: ViewPort,
  ) {
    this.log = new WholeLog(sources.log);
    this.lengths = new DraftLengths(
      (item, signal) => sources.mentions.estimateLength(item, { sessionId: this.draft.sessionId, text: '', signal }),
      () => this.refresh(),
      (error) => sources.logger.warn('Could not measure an attachment', error),
    );
    this.listener = sources.log.onDidChange((event) => {
      if (event.sessionId === sources.active().sessionId && changesPrompt(event)) this.refresh();
    });
  }

  /** Delays updates until a session has opened or failed to open. */
  giveWayTo(opening: Promise<unknown>): void {
    this.opening = opening.catch(() => undefined);
  }

  /** Prepares the next request for a draft with these attachments, and includes them in the usage. */
  prepare(draft: DraftAttachments): void {
    this.draft = draft;
    this.lengths.set([...draft.attachments, ...(draft.implicit ?? [])]);
    this.refresh();
  }

  refresh(): void {
    this.refreshTask.request();
  }

  dispose(): void {
    void this.listener.dispose();
    this.lengths.dispose();
    this.refreshTask.dispose();
  }

  private async work(): Promise<void> {
    try {
      const use = await this.use();
      // If another update was requested in the meantime, its run sends the usage.
      if (this.refreshTask.isCurrent) this.view.emit('context', use);
    } catch (error) {
      this.sources.logger.error('Could not tell how full the context window is', error);
    }
  }

  private async use() {
    for (let ended; ended !== this.opening;) {
      ended = this.opening;
      await ended;
    }
    const { meter, catalog, preparer } = this.sources;
    const { sessionId, mode } = this.sources.active();
    const model = (await catalog.state()).selected[mode] ?? null;
    if (model === null) return null;
    const entries = sessionId === null ? [] : await this.log.of(sessionId);
    const isOfDraft = this.draft.sessionId === sessionId;
    const attachments = isOfDraft ? this.draft.attachments : [];
    const chat: ChatForRequest = { sessionId, mode, model, entries, attachments };
    const use = await meter.use({ ...chat, draft: isOfDraft ? this.lengths.total : 0, loaded: (name) => catalog.loaded(name) });
    if (use === null) return null;
    preparer.prepare(chat, (items) => this.sources.attachments.readUnasked(items));
    return { ...use, isPrepared: preparer.isPrepared(chat) };
  }
}

/** Returns true if an entry changes which earlier entries the prompt contains. */
function changesPrompt(event: LogEvent): boolean {
  if (event.kind !== 'entry') return false;
  const { type } = event.entry;
  return ['restore', 'turns_kept', 'rewind', 'compact_marker', 'compact_undone'].includes(type);
}
