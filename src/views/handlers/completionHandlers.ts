import { totalmem } from 'node:os';
import type * as vscode from 'vscode';
import type { CompletionModelOption, CompletionModels } from '../../completion/models/completionModels';
import { suggestCompletionModels } from '../../completion/models/suggestedCompletionModels';
import { countsFrom, addCounts, type CompletionCounts } from '../../completion/statistics/completionCounts';
import type { Settings } from '../../config/settings';
import type { HostApi } from '../../protocol/hostApi';
import type { CompletionFigures } from '../../protocol/requests/completionRequests';
import type { ModelActions } from '../../services/model/catalogue/modelActions';
import type { ModelCatalog } from '../../services/model/catalogue/modelCatalog';
import type { ConnectionMonitor } from '../../services/model/connection/connectionMonitor';
import { isOnThisMachine } from '../../types/httpAddress';
import { findModel } from '../../types/modelNames';
import type { Clock } from '../../utils/clock';
import { saveSetting } from '../../vscode/settingsSource';
import { noResult } from '../noResult';

type CompletionApi = Pick<HostApi, 'readCompletions' | 'testCompletionModel' | 'completionOffer' | 'answerCompletionOffer'>;

export interface CompletionAccess {
  models: Pick<CompletionModels, 'options' | 'test'>;
  /** Resolves with the counts by day and model, starting at the given day (`2026-11-23`). */
  countsSince: (day: string) => Promise<{ counts: Record<string, unknown> }[]>;
}

export interface CompletionServices {
  completions: () => Promise<CompletionAccess>;
  settings: Settings;
  connection: ConnectionMonitor;
  catalog: ModelCatalog;
  actions: ModelActions;
  clock: Clock;
}

const answeredKey = 'completions.offerAnswered';
const thirtyDays = 30 * 24 * 3600_000;

export function completionHandlers(services: CompletionServices, memento: vscode.Memento): CompletionApi {
  const { completions, settings, connection, catalog, actions, clock } = services;
  const suggestions = async () => {
    const { models } = await catalog.state();
    const memory = isOnThisMachine(connection.state.baseUrl) ? totalmem() : null;
    return suggestCompletionModels(memory).map((one) => ({ ...one, isInstalled: findModel(models, one.name) !== undefined }));
  };
  return {
    readCompletions: async () => {
      const { models, countsSince } = await completions();
      const counted = await countsSince(new Date(clock.now() - thirtyDays).toISOString().slice(0, 10));
      const figures = sumFigures(counted.map(({ counts }) => countsFrom(counts)));
      return { models: await models.options(), suggestions: await suggestions(), figures };
    },
    testCompletionModel: async ({ model }) => (await completions()).models.test(model),
    completionOffer: async () => {
      const isChosen = settings.getCompletionConfig().model !== '';
      if (isChosen || memento.get(answeredKey) === true) return { offer: null };
      const suggested = await suggestions();
      const installed = bestInstalled(await (await completions()).models.options(), suggested);
      return { offer: installed ?? suggested[0] ?? null };
    },
    answerCompletionOffer: noResult(async ({ model, isWanted }) => {
      await memento.update(answeredKey, true);
      if (!isWanted) return;
      if (findModel((await catalog.state()).models, model) === undefined) actions.begin(model);
      await saveSetting('completionMode.model', model);
    }),
  };
}

/** Returns the best installed model. Prefers models that passed the self-test, then suggested models, then small models. */
function bestInstalled(options: readonly CompletionModelOption[], suggested: readonly { name: string }[]) {
  const isSuggested = ({ name }: CompletionModelOption) => findModel(suggested, name) !== undefined;
  const rank = (option: CompletionModelOption) => (option.verdict === 'can' ? 0 : isSuggested(option) ? 1 : 2);
  const [best] = options
    .filter(({ verdict }) => verdict === 'can' || verdict === 'untested')
    .sort((one, other) => rank(one) - rank(other) || one.size - other.size);
  return best && { name: best.name, size: best.size, isInstalled: true };
}

function sumFigures(all: readonly CompletionCounts[]): CompletionFigures {
  const { shown, accepted, acceptedChars, requests, saved, ...rest } = all.reduce(addCounts, countsFrom({}));
  const share = (part: number, whole: number) => (whole === 0 ? null : part / whole);
  return {
    shown,
    accepted,
    acceptedChars,
    requests,
    saved,
    retained30: share(rest.retained30, rest.judged30),
    retained300: share(rest.retained300, rest.judged300),
    latency: share(rest.waitedMs, rest.answers),
  };
}
