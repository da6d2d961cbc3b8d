import type { Settings } from '../../config/settings';
import type { ModelManager } from '../../services/model/catalogue/modelManager';
import type { ContextWindows } from '../../services/model/context/contextWindows';
import { selectedModel } from '../../services/model/modelSelection';
import { isCloudModel, type ModelInfo } from '../../types/model';
import { chatModes } from '../../types/modes';
import { findModel } from '../../types/modelNames';
import { t } from '../../utils/l10n';
import type { CompletionModel, FimAsk, NothingBecause } from '../completionTypes';
import { fimFamilyOf, type FimFamily } from './fimFamilies';

/** Tokens of the window of a model that only completes. */
const ownWindow = 8192;

/** Finds out how the chosen model is to be asked. */
export class CompletionModels {
  constructor(
    private readonly models: Pick<ModelManager, 'get' | 'list'>,
    private readonly settings: Settings,
    private readonly windows: Pick<ContextWindows, 'tokensFor'>,
  ) {}

  /** Returns the chosen model, or why it cannot complete. Rejects with an error of the server. */
  async chosen(): Promise<CompletionModel | NothingBecause> {
    const name = this.settings.getCompletionConfig().model;
    if (name === '') return { code: 'noModel' };
    const model = await this.models.get(name);
    const ask = this.askOf(model);
    if (ask === undefined) return { code: 'unfit', detail: unfitText(model) };
    return { name: model.name, digest: model.digest || model.name, numCtx: await this.windowOf(model), ask, stop: model.stop };
  }

  /** Returns how a model can be asked to fill in the middle; undefined if no way is known. */
  private askOf(model: ModelInfo): FimAsk | undefined {
    const { template } = this.settings.getCompletionConfig();
    const family = template === '' ? fimFamilyOf(model.family ?? '', model.name) : ownFamily(template);
    if (isCloudModel(model.name)) return undefined;
    if (family !== undefined) return { way: 'raw', family };
    return model.capabilities.fim ? { way: 'suffix' } : undefined;
  }

  /** Returns the window that chat loads the model with, if chat uses it: with another one the server would load it again each time. */
  private async windowOf(model: ModelInfo): Promise<number> {
    const { models } = await this.models.list();
    const chatNames = chatModes.map((mode) => selectedModel(mode, this.settings, models));
    const isForChat = chatNames.some((name) => name !== null && findModel([model], name) !== undefined);
    if (isForChat) return this.windows.tokensFor(model);
    return Math.min(ownWindow, model.contextLength ?? ownWindow);
  }
}

/** Builds a family of a person's own template. */
function ownFamily(template: string): FimFamily {
  const special = template.match(/<[^<>{}\n]{1,40}>|\[[A-Z_]{2,20}\]/g) ?? [];
  return {
    name: 'own',
    prompt: ({ prefix, suffix, path }) =>
      template.replace(/\{(prefix|suffix|path)\}/g, (_, part: string) => ({ prefix, suffix, path })[part] ?? ''),
    stop: [...new Set(special)],
    suffixFirst: template.indexOf('{suffix}') < template.indexOf('{prefix}'),
  };
}

function unfitText({ name }: ModelInfo): string {
  return isCloudModel(name)
    ? t('{0} runs on other machines. Choose a model on your own server for suggestions.', name)
    : t('{0} cannot fill in the middle of a text. Choose another model for suggestions.', name);
}
