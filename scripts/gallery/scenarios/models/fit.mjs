import { german, models, ready, scenario } from '../base.mjs';
import { settingsPage } from '../settings.mjs';

const figures = {
  loadMs: 2345,
  cache: { bytesPerToken: 131_072, isUpperBound: true },
  largest: { tokens: 24_576 },
  ownWindow: 16_384,
  short: { promptTokens: 310, promptRate: 850.4, answerRate: 31.4 },
  long: { promptTokens: 4000, promptRate: 640, answerRate: 28 },
  memory: { size: 8.2e9, vram: 8.2e9, window: 16_384 },
};
const partly = { ...figures, largest: null, ownWindow: null, long: null, memory: { size: 21.4e9, vram: 12e9, window: 8192 } };
const measured = {
  ...models,
  models: models.models.map((one, index) => ({
    ...one,
    ...(index === 0 && { figures }),
    ...(index === 3 && { figures: partly }),
  })),
};
const memoryPlan = {
  models: [
    { name: 'qwen3:14b', uses: ['agent', 'plan', 'edit'], bytes: 8.2e9, certainty: 'measured', isLoaded: true },
    { name: 'gemma3:12b', uses: ['ask'], bytes: 9.1e9, certainty: 'estimated', isLoaded: false },
    { name: 'qwen2.5-coder:1.5b-base', uses: ['completion'], bytes: 1.2e9, certainty: 'atLeast', isLoaded: true },
  ],
  total: 18.5e9,
  isComplete: false,
  room: { bytes: 12e9, kind: 'gpu' },
  evicted: ['qwen2.5-coder:1.5b-base', 'gemma3:12b'],
  isTooLarge: false,
};
const page = (l10n = {}) => ({
  ready: { ...ready, models: measured, l10n },
  memoryPlan,
  suggestions: { suggestions: [{ name: 'qwen3:8b', size: 5.2e9 }], memory: 12e9, kind: 'gpu', asOf: '2026-08' },
});

export const fitScenarios = {
  'picker-measured': { ...scenario({ ready: { ...ready, models: measured } }), do: ['click Model: qwen3:14b'] },
  'fit-hardware': settingsPage(['type hardware fit'], page()),
  'fit-plan': settingsPage(['type memory plan'], page()),
  'german-fit-hardware': settingsPage(['type Eignung der Hardware'], page(german)),
  'german-fit-plan': settingsPage(['type Speicherbedarf'], page(german)),
};
