import { scenario } from './base.mjs';

const days = Array.from({ length: 30 }, (_, index) => new Date(Date.UTC(2026, 9, 20 + index)).toISOString().slice(0, 10));
const statistics = {
  tokensByDay: days.map((day, index) => ({ day, prompt: ((index * 7919) % 31) * 2400, answer: ((index * 104729) % 17) * 420 })),
  models: [
    { model: 'qwen3:14b', answers: 412, promptTokens: 1_204_331, answerTokens: 96_122, firstTokenMs: 640, tokensPerSecond: 41.3 },
    { model: 'gpt-oss:20b', answers: 88, promptTokens: 310_200, answerTokens: 40_871, firstTokenMs: 2310, tokensPerSecond: 17.9 },
  ],
  tools: [
    { tool: 'read_file', calls: 812, successes: 790, failures: 22, averageMs: 12, averageWaitMs: null },
    { tool: 'run_terminal_command', calls: 301, successes: 221, failures: 48, averageMs: 3200, averageWaitMs: 8400 },
    { tool: 'replace_in_file', calls: 244, successes: 219, failures: 25, averageMs: 90, averageWaitMs: 5100 },
    { tool: 'search_workspace', calls: 120, successes: 120, failures: 0, averageMs: 210, averageWaitMs: null },
  ],
  toolsByDay: days.map((day, index) => ({ day, calls: ((index * 31) % 23) * 4, failures: index % 5 })),
  sessions: [
    {
      sessionId: 's1',
      title: 'Validate the signup form',
      tools: [
        { tool: 'read_file', calls: 42 },
        { tool: 'replace_in_file', calls: 11 },
      ],
    },
    { sessionId: 's2', title: 'Rename the module', tools: [{ tool: 'rename_file', calls: 3 }] },
  ],
  edits: [{ model: 'qwen3:14b', kept: 140, undone: 18, pending: 4 }],
  completions: { shown: 920, accepted: 311, retained: 0.82 },
  compactions: 7,
};

export const analyticsScenarios = {
  analytics: { ...scenario({ statistics }), do: ['analytics', 'settle', 'click Table: Tokens per day'] },
  'analytics-nothing': { ...scenario({}), do: ['analytics'] },
};
