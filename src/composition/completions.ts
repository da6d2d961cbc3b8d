import type * as vscode from 'vscode';
import { CompletionEngine } from '../completion/completionEngine';
import type { NothingBecause } from '../completion/completionTypes';
import { CompletionGate } from '../completion/gate/completionGate';
import { CompletionModels, type VerdictStore } from '../completion/models/completionModels';
import type { Settings } from '../config/settings';
import { CompletionRepository } from '../services/database/completions/completionRepository';
import type { StorageGate } from '../services/database/storageGate';
import type { ServerServices } from '../services/model/connection/serverServices';
import { ContextWindows } from '../services/model/context/contextWindows';
import type { Clock } from '../utils/clock';
import { DisposableStore } from '../utils/disposable';
import type { Logger } from '../utils/logger';
import { CompletionWatch } from '../vscode/completion/completionWatch';
import { InlineCompletionProvider } from '../vscode/completion/inlineCompletionProvider';
import { onDidChangeSettings } from '../vscode/settingsSource';
import { EditorWorkspace } from '../vscode/workspace/editorWorkspace';
import type { OpenedStorage } from './openedStorage';

type IsOpen = ConstructorParameters<typeof CompletionWatch>[1];

export interface CompletionSurroundings {
  server: Pick<ServerServices, 'client' | 'models'>;
  settings: Settings;
  storage: StorageGate<OpenedStorage>;
  /** Tells whether a chat of this window works with a model now. */
  isBusy: (model: string) => boolean;
  clock: Clock;
  logger: Logger;
}

/** What suggestions while typing take: loaded with the first key that may bring one. */
export class Completions extends DisposableStore {
  readonly engine: CompletionEngine;
  readonly models: CompletionModels;
  readonly provider: InlineCompletionProvider;
  /** Milliseconds since the epoch until which nothing is suggested by itself. */
  private snoozedUntil = 0;

  constructor(private readonly around: CompletionSurroundings) {
    super();
    const { server, settings, clock, logger } = around;
    const { client } = server;
    const windows = new ContextWindows(windowStore(around.storage), settings, logger);
    const verdicts = verdictStore(around.storage);
    const models = (this.models = new CompletionModels({ ...server, settings, windows, verdicts, clock, logger }));
    const gate = new CompletionGate(new EditorWorkspace(), settings, clock);
    const engine = (this.engine = this.add(
      new CompletionEngine({ client, settings, models, isBusy: around.isBusy, clock, logger }),
    ));
    const isOpen: IsOpen = async (...where) => (await this.provider.refusalAt(...where, false)) === null;
    const watch = this.add(new CompletionWatch(engine, isOpen));
    this.provider = new InlineCompletionProvider({
      ...{ engine, gate },
      refusal: (...where) => this.refusal(...where),
      onShown: (...where) => watch.shown(...where),
    });
    this.add(onDidChangeSettings(() => engine.reset()));
  }

  /** Suggests nothing by itself for so many milliseconds. */
  snooze(ms: number): void {
    this.snoozedUntil = this.around.clock.now() + ms;
    this.engine.refuse({ code: 'snoozed' });
  }

  private refusal(document: vscode.TextDocument, _position: vscode.Position, isAsked: boolean): NothingBecause | null {
    const config = this.around.settings.getCompletionConfig();
    if (!isAsked && !config.isAutomatic) return { code: 'off' };
    if (!isAsked && this.around.clock.now() < this.snoozedUntil) return { code: 'snoozed' };
    const { [document.languageId]: own, '*': others } = config.languages;
    return (own ?? others ?? true) ? null : { code: 'language' };
  }
}

/** Remembers verdicts in the database, where it is open. */
function verdictStore(storage: StorageGate<OpenedStorage>): VerdictStore {
  const repository = async () => {
    const opened = await storage.settled(1000);
    return opened && new CompletionRepository(opened.connection);
  };
  return {
    verdictOf: async (key) => (await repository())?.verdictOf(key),
    keepVerdict: async (key, verdict) => (await repository())?.keepVerdict(key, verdict),
  };
}

/** Remembers windows in the database, where it is open. */
function windowStore(storage: StorageGate<OpenedStorage>): ConstructorParameters<typeof ContextWindows>[0] {
  const models = async () => (await storage.settled(1000))?.models;
  return {
    windowOf: async (digest) => (await models())?.windowOf(digest),
    keepWindow: async (digest, window) => (await models())?.keepWindow(digest, window),
  };
}
