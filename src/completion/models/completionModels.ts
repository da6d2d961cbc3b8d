import type { Settings } from '../../config/settings';
import type { OllamaClient } from '../../services/model/client/ollamaClient';
import type { ModelManager } from '../../services/model/catalogue/modelManager';
import { requestOptions } from '../../services/model/context/requestOptions';
import { suggestionWindow, type ContextWindows } from '../../services/model/context/contextWindows';
import { selectedModel } from '../../services/model/modelSelection';
import { isCloudModel, type ModelInfo } from '../../types/model';
import { chatModes } from '../../types/modes';
import { findModel } from '../../types/modelNames';
import type { Clock } from '../../utils/clock';
import { t } from '../../utils/l10n';
import type { Logger } from '../../utils/logger';
import type { CompletionModel, FimAsk, NothingBecause } from '../completionTypes';
import { fimFamilyOf } from './fimFamilies';
import { ownFamily } from './ownFamily';
import { testModel, type Verdict } from './selfTest';

/** Store of verdicts between sessions. */
export interface VerdictStore {
  verdictOf(key: string): Promise<Verdict | undefined>;
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

/** A model in the picker: whether it can complete, and if not why, in words. */
export interface CompletionModelOption {
  name: string;
  /** `cannot`: it failed the self-test; `unfit`: there is no way to ask it. */
  verdict: 'can' | 'cannot' | 'untested' | 'unfit';
  /** Reason or way, for a person. */
  words: string;
  size: number;
}

/** Finds out how models are to be asked, and proves that they can before they are used. */
export class CompletionModels {
  private readonly known = new Map<string, Verdict>();
  private readonly testing = new Map<string, Promise<Verdict>>();

  constructor(private readonly ports: ModelPorts) {}

  /** Returns the chosen model, or why it cannot complete. Rejects with an error of the server. */
  async chosen(): Promise<CompletionModel | NothingBecause> {
    const name = this.ports.settings.getCompletionConfig().model;
    if (name === '') return { code: 'noModel' };
    const model = await this.ports.models.get(name);
    const ask = this.askOf(model);
    if (ask === undefined) return { code: 'unfit', detail: unfitText(model) };
    const asked = await this.askedModel(model, ask);
    const verdict = (await this.verdictOf(asked)) ?? (await this.prove(asked));
    return verdict.can ? asked : { code: 'unfit', detail: failedText(model.name, verdict) };
  }

  /** Tests a model anew, whatever was found before. Rejects with an error of the server. */
  async test(name: string): Promise<CompletionModelOption> {
    const model = await this.ports.models.get(name);
    const ask = this.askOf(model);
    if (ask !== undefined) await this.prove(await this.askedModel(model, ask));
    return this.optionOf(model);
  }

  /** Returns all models of the server that write text, those first that can complete. */
  async options(): Promise<CompletionModelOption[]> {
    const { models } = await this.ports.models.list();
    const writing = models.filter(
      ({ enabled, capabilities }) => enabled && !capabilities.embedding && Object.values(capabilities).includes(true),
    );
    const options = await Promise.all(writing.map((model) => this.optionOf(model)));
    const rank = { can: 0, untested: 1, cannot: 2, unfit: 3 };
    return options.sort((one, other) => rank[one.verdict] - rank[other.verdict]);
  }

  private async optionOf(model: ModelInfo): Promise<CompletionModelOption> {
    const { name, size } = model;
    const ask = this.askOf(model);
    if (ask === undefined) return { name, size, verdict: 'unfit', words: unfitText(model) };
    const verdict = await this.verdictOf(await this.askedModel(model, ask));
    if (verdict === undefined) return { name, size, verdict: 'untested', words: t('Not tested yet.') };
    if (!verdict.can) return { name, size, verdict: 'cannot', words: failedText(name, verdict) };
    return { name, size, verdict: 'can', words: t('Passed the self-test.') };
  }

  private async askedModel(model: ModelInfo, ask: FimAsk): Promise<CompletionModel> {
    const { name, digest, stop } = model;
    return { name, digest: digest || name, ask, stop, options: requestOptions(model, await this.windowOf(model)) };
  }

  private async verdictOf(model: CompletionModel): Promise<Verdict | undefined> {
    const key = keyOf(model);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    const stored = await this.ports.verdicts.verdictOf(key).catch((error: unknown) => {
      this.ports.logger.warn('Could not read a verdict on a model', error);
      return undefined;
    });
    if (stored !== undefined) this.known.set(key, stored);
    return stored;
  }

  /** Tests a model, once for all who ask meanwhile. */
  private prove(model: CompletionModel): Promise<Verdict> {
    const key = keyOf(model);
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
    return verdict;
  }

  /** Returns how a model can be asked to fill in the middle; undefined if no way is known. */
  private askOf(model: ModelInfo): FimAsk | undefined {
    if (isCloudModel(model.name) || model.capabilities.embedding) return undefined;
    const { template } = this.ports.settings.getCompletionConfig();
    const family = template === '' ? fimFamilyOf(model.family ?? '', model.name) : ownFamily(template);
    if (family !== undefined) return { way: 'raw', family };
    return model.capabilities.fim ? { way: 'suffix' } : undefined;
  }

  /** Returns the window that chat loads the model with, if chat uses it: with another one the server would load it again each time. */
  private async windowOf(model: ModelInfo): Promise<number> {
    const { settings, windows } = this.ports;
    const { models } = await this.ports.models.list();
    const chatNames = chatModes.map((mode) => selectedModel(mode, settings, models));
    const isForChat = chatNames.some((name) => name !== null && findModel([model], name) !== undefined);
    return isForChat ? windows.tokensFor(model) : suggestionWindow(model);
  }
}

/** Returns the key of a verdict: the weights, and the way in which they are asked. */
function keyOf({ digest, ask }: CompletionModel): string {
  return `${digest}:${ask.way === 'raw' ? ask.family.name : 'suffix'}`;
}

function unfitText({ name }: ModelInfo): string {
  return isCloudModel(name)
    ? t('{0} runs on other machines. Choose a model on your own server for suggestions.', name)
    : t('{0} cannot fill in the middle of a text. Choose another model for suggestions.', name);
}

function failedText(name: string, { wrong }: Verdict): string {
  const { answered, wanted } = wrong ?? { answered: '', wanted: '' };
  if (answered === '') return t('{0} failed the self-test: it said nothing where “{1}” was to come.', name, wanted);
  return t('{0} failed the self-test: it wrote “{1}” where “{2}” was to come.', name, answered, wanted);
}
