import * as vscode from 'vscode';
import { CompletionEngine, type EngineState } from '../completion/completionEngine';
import type { NoSuggestion } from '../completion/completionTypes';
import { endsInComment } from '../completion/gate/comments';
import { CompletionGate } from '../completion/gate/completionGate';
import { clearRefusalWhenPassed } from '../completion/flow/passedTest';
import { CompletionModels } from '../completion/models/completionModels';
import { ContextKeeper } from '../completion/prompt/contextKeeper';
import { CompletionStatistics } from '../completion/statistics/completionStatistics';
import type { Settings } from '../config/settings';
import type { ServerServices } from '../services/model/connection/serverServices';
import { ContextWindows } from '../services/model/context/contextWindows';
import type { Clock } from '../utils/clock';
import { DisposableStore } from '../utils/disposable';
import type { Logger } from '../utils/logger';
import { CompletionContextWatch, definitionsAround } from '../vscode/completion/completionContext';
import { CompletionWatch } from '../vscode/completion/completionWatch';
import { acceptedCommand, InlineCompletionProvider } from '../vscode/completion/inlineCompletionProvider';
import { NextEditWatch } from '../vscode/completion/nextEditWatch';
import { onDidChangeSettings } from '../vscode/settingsSource';
import { EditorWorkspace } from '../vscode/workspace/editorWorkspace';
import type { CompletionStores, CountedDay } from './completionStores';

export interface CompletionSurroundings {
  server: Pick<ServerServices, 'client' | 'models' | 'arbiter'>;
  settings: Settings;
  stores: CompletionStores;
  clock: Clock;
  logger: Logger;
}

/** Services for inline suggestions. They load at the first keystroke that may trigger a suggestion. */
export class Completions extends DisposableStore {
  readonly engine: CompletionEngine;
  readonly models: CompletionModels;
  readonly provider: InlineCompletionProvider;
  readonly nextEdit: NextEditWatch;
  private readonly statistics: CompletionStatistics;
  private snoozed = 0;

  constructor(private readonly around: CompletionSurroundings) {
    super();
    const { server, settings, stores, clock, logger } = around;
    const { client, arbiter } = server;
    const windows = new ContextWindows(stores.windows, settings, logger);
    const { verdicts, counts } = stores;
    const models = (this.models = new CompletionModels({ ...server, settings, windows, verdicts, clock, logger }));
    const gate = new CompletionGate(new EditorWorkspace(), settings, clock);
    const context = new ContextKeeper((document) => definitionsAround(document, gate), clock);
    this.add(new CompletionContextWatch(context, gate));
    const statistics = (this.statistics = this.add(new CompletionStatistics(counts, readOpenText, clock, logger)));
    const count: CompletionStatistics['count'] = (...counted) => statistics.count(...counted);
    const engine = (this.engine = this.add(
      new CompletionEngine({ client, arbiter, settings, models, context, count, clock, logger }),
    ));
    const isOpen = async (document: vscode.TextDocument, position: vscode.Position) =>
      (await this.provider.refusalAt(document, position, false)) === null;
    const watch = this.add(new CompletionWatch({ engine, statistics, isOpen }));
    this.provider = new InlineCompletionProvider({
      engine,
      gate,
      refusal: (...where) => this.refusal(...where),
      onShown: (shown) => watch.shown(shown),
    });
    this.nextEdit = this.add(
      new NextEditWatch({
        isOpen,
        logger,
        isOn: () => settings.getCompletionConfig().hasNextEdit,
        rewrite: (...asked) => engine.rewrite(...asked),
      }),
    );
    this.add(vscode.commands.registerCommand(acceptedCommand, (id: number) => watch.accepted(id)));
    this.add(onDidChangeSettings(() => engine.reset()));
    this.add(clearRefusalWhenPassed(engine, models));
  }

  /** Returns the counts since a day (`2026-11-23`), including counts that are not saved yet. */
  readonly countsSince = async (day: string): Promise<CountedDay[]> => {
    await this.statistics.flush();
    return this.around.stores.counts.since(day);
  };

  get state(): EngineState {
    return this.engine.state;
  }

  /** End of the snooze in milliseconds since the epoch. The value is 0 or in the past if suggestions are not snoozed. */
  get snoozedUntil(): number {
    return this.snoozed;
  }

  /** Pauses automatic suggestions for `ms` milliseconds. 0 resumes them. */
  snooze(ms: number): void {
    this.snoozed = ms === 0 ? 0 : this.around.clock.now() + ms;
    this.engine.setNoSuggestionReason(ms === 0 ? null : { code: 'snoozed' });
  }

  private refusal(document: vscode.TextDocument, position: vscode.Position, isAsked: boolean): NoSuggestion | null {
    const config = this.around.settings.getCompletionConfig();
    if (!isAsked && !config.isAutomatic) return { code: 'off' };
    if (!isAsked && this.around.clock.now() < this.snoozed) return { code: 'snoozed' };
    const { [document.languageId]: own, '*': others } = config.languages;
    if (!(own ?? others ?? true)) return { code: 'language' };
    if (config.isInComments) return null;
    const before = document.getText(new vscode.Range(new vscode.Position(0, 0), position));
    return endsInComment(before, document.languageId) ? { code: 'comment' } : null;
  }
}

function readOpenText(uri: string): string | undefined {
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri)?.getText();
}
