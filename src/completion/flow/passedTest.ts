import type { Disposable } from '../../utils/disposable';
import type { CompletionEngine } from '../completionEngine';
import type { CompletionModels } from '../models/completionModels';

/** Clears the reason for missing suggestions when a previously rejected model passes a test. */
export function clearRefusalWhenPassed(
  engine: Pick<CompletionEngine, 'state' | 'setNoSuggestionReason'>,
  models: Pick<CompletionModels, 'onDidTest'>,
): Disposable {
  return models.onDidTest(({ verdict }) => {
    const code = engine.state.noSuggestion?.code;
    if (verdict === 'can' && (code === 'unfit' || code === 'failed')) engine.setNoSuggestionReason(null);
  });
}
