import { CompletionEngine } from '../../../../src/completion/completionEngine';
import type { CompletionDocument, Suggestion } from '../../../../src/completion/completionTypes';
import { CompletionModels } from '../../../../src/completion/models/completionModels';
import type { Verdict } from '../../../../src/completion/models/selfTest';
import type { CompletionCounts } from '../../../../src/completion/statistics/completionCounts';
import type { FimContext } from '../../../../src/completion/models/fimFamily';
import { ContextKeeper } from '../../../../src/completion/prompt/contextKeeper';
import { Settings } from '../../../../src/config/settings';
import { ModelManager } from '../../../../src/services/model/catalogue/modelManager';
import { ContextWindows } from '../../../../src/services/model/context/contextWindows';
import { ServerArbiter } from '../../../../src/services/model/serverArbiter';
import { silentLogger as logger } from '../../../../src/utils/logger';
import { OllamaDouble, type DoubleOptions } from '../../../support/ollama/double';
import type { RecordedRequest } from '../../../support/ollama/doubleExchange';
import { makeClient } from '../../model/support/client';
import { RecordingClock } from '../../model/support/recordingClock';

export const coder = { name: 'qwen2.5-coder:1.5b-base', architecture: 'qwen2' } as const;

/** Engine on a double of the server, and a document to type in. */
export class CompletionBench {
  readonly settings = new Map<string, unknown>([['completionMode.model', coder.name]]);
  readonly counts: ({ model: string } & Partial<CompletionCounts>)[] = [];
  /** Definitions that the language server returns. */
  definitions: () => Promise<FimContext[]> = () => Promise.resolve([]);
  readonly context: ContextKeeper;
  readonly arbiter = new ServerArbiter();
  /** Stored verdicts of self-tests; `all` applies to every model. */
  readonly verdicts = new Map<string, Verdict>([['all', { can: true, wrong: null, testedAt: 1 }]]);
  readonly engine: CompletionEngine;
  readonly models: CompletionModels;
  private before = '';
  private after = '';

  private constructor(
    baseUrl: string,
    private readonly started: OllamaDouble | undefined,
    readonly clock: RecordingClock,
  ) {
    const { client } = makeClient(baseUrl);
    const settings = new Settings({ get: (key) => this.settings.get(key) }, () => undefined);
    const nowhere = {
      load: () => Promise.resolve({ models: [], fetchedAt: null }),
      save: nothing,
      setEnabled: nothing,
      setThink: nothing,
    };
    const manager = new ModelManager(client, nowhere, this.clock, logger);
    const windows = new ContextWindows(
      { readWindow: () => Promise.resolve(undefined), keepWindow: nothing, readOwnWindow: () => Promise.resolve(undefined) },
      settings,
      logger,
    );
    const verdicts = {
      readVerdict: (key: string) => Promise.resolve(this.verdicts.get(key) ?? this.verdicts.get('all')),
      keepVerdict: (key: string, verdict: Verdict) => Promise.resolve(void this.verdicts.set(key, verdict)),
    };
    this.models = new CompletionModels({ client, models: manager, settings, windows, verdicts, clock: this.clock, logger });
    this.context = new ContextKeeper(() => this.definitions(), this.clock);
    this.engine = new CompletionEngine({
      client,
      settings,
      models: this.models,
      arbiter: this.arbiter,
      context: this.context,
      count: (model, counts) => this.counts.push({ model, ...counts }),
      clock: this.clock,
      logger,
    });
  }

  static async start(options: DoubleOptions = {}): Promise<CompletionBench> {
    const double = await OllamaDouble.start({ models: [coder], ...options });
    return new CompletionBench(double.url, double, new RecordingClock());
  }

  /** Builds an engine on an existing server. */
  static on(baseUrl: string, clock = new RecordingClock()): CompletionBench {
    return new CompletionBench(baseUrl, undefined, clock);
  }

  get double(): OllamaDouble {
    if (this.started === undefined) throw new Error('There is no double.');
    return this.started;
  }

  /** Sets the document; `|` is the cursor. */
  at(text: string): this {
    const [before = '', after = ''] = text.split('|');
    this.before = before;
    this.after = after;
    return this;
  }

  type(text: string): this {
    this.before += text;
    return this;
  }

  back(count: number): this {
    this.before = this.before.slice(0, -count);
    return this;
  }

  get document(): CompletionDocument {
    const { before, after } = this;
    const lineCount = `${before}${after}`.split('\n').length;
    return { uri: 'file:///w/a.ts', path: 'a.ts', languageId: 'typescript', before, after, lineCount };
  }

  complete({ isAsked = false, signal = new AbortController().signal } = {}): Promise<Suggestion | undefined> {
    return this.engine.complete(this.document, { isAsked }, signal);
  }

  async text(): Promise<string | undefined> {
    return (await this.complete())?.text;
  }

  /** Recorded completion requests. */
  get asked(): RecordedRequest[] {
    return this.double.requestsTo('/api/generate');
  }

  /** Resolves when no request is running. */
  async idle(): Promise<void> {
    while (this.engine.state.activity !== 'idle') {
      await new Promise<void>((resolve) => {
        const listening = this.engine.onDidChange(() => {
          void listening.dispose();
          resolve();
        });
      });
    }
  }

  async stop(): Promise<void> {
    this.engine.dispose();
    await this.started?.close();
  }
}

function nothing(): Promise<void> {
  return Promise.resolve();
}
