import type { Settings } from '../../config/settings';
import type { ModelTested } from '../../protocol/requests/completionRequests';
import type { OllamaClient } from '../../services/model/client/ollamaClient';
import type { ModelManager } from '../../services/model/catalogue/modelManager';
import { requestOptions } from '../../services/model/context/requestOptions';
import { completionWindow, type ContextWindows } from '../../services/model/context/contextWindows';
import { selectedModel } from '../../services/model/modelSelection';
import { isCloudModel, type ModelInfo } from '../../types/model';
import { chatModes } from '../../types/modes';
import { findModel } from '../../types/modelNames';
import type { Clock } from '../../utils/clock';
import { Emitter, type Event } from '../../utils/emitter';
import { t } from '../../utils/l10n';
import type { Logger } from '../../utils/logger';
import type { CompletionModel, FimAsk, NoSuggestion } from '../completionTypes';
import { findFimFamily } from './fimFamilies';
import { customFamily } from './customFamily';
import { testModel, type Verdict } from './selfTest';

/** Persistent store of test results. */
export interface VerdictStore {
  readVerdict(key: string): Promise<Verdict | undefined>;
  keepVerdict(key: string, verdict: Verdict): Promise<void>;
}

export interface ModelPorts {
  client: Pick<OllamaClient, 'generate' | 'load'>;
  models: Pick<ModelManager, 'get' | 'list'>;
  settings: Settings;
  windows: Pick<ContextWindows, 'tokensFor'>;
  verdicts: VerdictStore;
  clock: Clock;
  logger: Logger;
}

/** Model in the picker, with its test result and a reason. */
export interface CompletionModelOption {
  name: string;
  /** `cannot`: the model failed the self-test. `unfit`: no prompt format is known for the model. */
  verdict: 'can' | 'cannot' | 'untested' | 'unfit';
  /** Localized reason or status. */
  words: string;
  size: number;
}

/** Part of a model to which a test result applies. */
type Tested = Pick<CompletionModel, 'digest' | 'ask'>;

/** Determines the prompt format of models, and tests models before use. */
export class CompletionModels {
  private readonly known = new Map<string, Verdict>();
  private readonly testing = new Map<string, Promise<Verdict>>();
  private readonly tested: Emitter<ModelTested>;

  constructor(private readonly ports: ModelPorts) {
    this.tested = new Emitter((error) => ports.logger.error('A listener of self-tests failed', error));
  }

  /** Fires with the result when a self-test has ended. */
  get onDidTest(): Event<ModelTested> {
    return this.tested.event;
  }

  /** Returns the selected model, or the reason why it cannot provide suggestions. Rejects with the error that the server returned. */
  async chosen(): Promise<CompletionModel | NoSuggestion> {
    const name = this.ports.settings.getCompletionConfig().model;
    if (name === '') return { code: 'noModel' };
    const model = await this.ports.models.get(name);
    const ask = this.findFormat(model);
    if (ask === undefined) return { code: 'unfit', detail: unfitText(model) };
    const asked = await this.askedModel(model, ask);
    const verdict = (await this.verdictOf(asked)) ?? (await this.runSelfTest(asked));
    return verdict.can ? asked : { code: 'unfit', detail: failedText(model.name, verdict) };
  }

  /**
   * Returns the reason why the selected model cannot be used, if it is known
   * without a request. Returns null if the model can be used or was not tested.
   */
  async knownRefusal(): Promise<string | null> {
    const chosen = this.ports.settings.getCompletionConfig().model;
    if (chosen === '') return null;
    const model = findModel((await this.ports.models.list()).models, chosen);
    if (model === undefined) return null;
    const ask = this.findFormat(model);
    if (ask === undefined) return unfitText(model);
    const verdict = await this.verdictOf({ digest: readDigest(model), ask });
    return verdict?.can === false ? failedText(model.name, verdict) : null;
  }

  /** Tests a model again, regardless of the earlier result. Rejects with the error that the server returned. */
  async test(name: string): Promise<CompletionModelOption> {
    const model = await this.ports.models.get(name);
    const ask = this.findFormat(model);
    if (ask !== undefined) await this.runSelfTest(await this.askedModel(model, ask));
    return this.toOption(model);
  }

  /** Returns all models on the server that generate text. Usable models come first. */
  async options(): Promise<CompletionModelOption[]> {
    const { models } = await this.ports.models.list();
    const writing = models.filter(
      ({ enabled, capabilities }) => enabled && !capabilities.embedding && Object.values(capabilities).includes(true),
    );
    const options = await Promise.all(writing.map((model) => this.toOption(model)));
    const rank = { can: 0, untested: 1, cannot: 2, unfit: 3 };
    return options.sort((one, other) => rank[one.verdict] - rank[other.verdict]);
  }

  private async toOption(model: ModelInfo): Promise<CompletionModelOption> {
    const { name, size } = model;
    const ask = this.findFormat(model);
    if (ask === undefined) return { name, size, verdict: 'unfit', words: unfitText(model) };
    const verdict = await this.verdictOf(await this.askedModel(model, ask));
    if (verdict === undefined) return { name, size, verdict: 'untested', words: t('Not tested yet.') };
    return { size, ...testedOption(name, verdict) };
  }

  private async askedModel(model: ModelInfo, ask: FimAsk): Promise<CompletionModel> {
    const { name, stop } = model;
    return { name, digest: readDigest(model), ask, stop, options: requestOptions(model, await this.chooseWindow(model)) };
  }

  private async verdictOf(model: Tested): Promise<Verdict | undefined> {
    const key = createKey(model);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const stored = await this.ports.verdicts.readVerdict(key).catch((error: unknown) => {
      this.ports.logger.warn('Could not read a verdict on a model', error);
      return undefined;
    });
    if (stored !== undefined) this.known.set(key, stored);
    return stored;
  }

  /** Tests a model. Concurrent callers share one test. */
  private runSelfTest(model: CompletionModel): Promise<Verdict> {
    const key = createKey(model);
    const running = this.testing.get(key) ?? this.runTest(model, key).finally(() => this.testing.delete(key));
    this.testing.set(key, running);
    return running;
  }

  private async runTest(model: CompletionModel, key: string): Promise<Verdict> {
    const { client, settings, clock, verdicts, logger } = this.ports;
    const { keepAlive } = settings.getAgentConfig();
    const verdict = await testModel(client, model, { keepAlive, now: () => clock.now() });
    this.known.set(key, verdict);
    await verdicts.keepVerdict(key, verdict).catch((error: unknown) => logger.warn('Could not keep a verdict on a model', error));
    this.tested.fire(testedOption(model.name, verdict));
    return verdict;
  }

  /** Returns the prompt format of a model. Returns undefined if no format is known. */
  private findFormat(model: ModelInfo): FimAsk | undefined {
    if (isCloudModel(model.name) || model.capabilities.embedding) return undefined;
    const { template } = this.ports.settings.getCompletionConfig();
    const family = template === '' ? findFimFamily(model.family ?? '', model.name) : customFamily(template);
    if (family !== undefined) return { way: 'raw', family };
    return model.capabilities.fim ? { way: 'suffix' } : undefined;
  }

  /**
   * Returns the context window of the chat if it uses the same model, because
   * a different context window would make the server reload the model.
   */
  private async chooseWindow(model: ModelInfo): Promise<number> {
    const { settings, windows } = this.ports;
    const { models } = await this.ports.models.list();
    const chatNames = chatModes.map((mode) => selectedModel(mode, settings, models));
    const isForChat = chatNames.some((name) => name !== null && findModel([model], name) !== undefined);
    return isForChat ? windows.tokensFor(model) : completionWindow(model);
  }
}

function readDigest({ digest, name }: ModelInfo): string {
  return digest || name;
}

/** Returns the key of a test result. It consists of the weights and the prompt format. */
function createKey({ digest, ask }: Tested): string {
  return `${digest}:${ask.way === 'raw' ? ask.family.name : 'suffix'}`;
}

function testedOption(name: string, verdict: Verdict): ModelTested {
  return verdict.can
    ? { name, verdict: 'can', words: t('Passed the self-test.') }
    : { name, verdict: 'cannot', words: failedText(name, verdict) };
}

function unfitText({ name }: ModelInfo): string {
  return isCloudModel(name)
    ? t('{0} runs in the cloud. Choose a model on your own server for suggestions.', name)
    : t('{0} does not support fill-in-the-middle (FIM). Choose another model for suggestions.', name);
}

function failedText(name: string, { wrong }: Verdict): string {
  const { answered, wanted } = wrong ?? { answered: '', wanted: '' };
  if (answered === '') return t('{0} failed the self-test. Expected “{1}”, got no text.', name, wanted);
  return t('{0} failed the self-test. Got “{1}”, expected “{2}”.', name, answered, wanted);
}
