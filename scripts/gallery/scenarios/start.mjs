import { connection, german, models, noModels, pull, ready, scenario, suggestions } from './base.mjs';

export const startScenarios = {
  ready: { ...scenario({}) },
  'ready-ask': scenario({ ready: { ...ready, mode: 'ask', workspace: { name: null, hasFolder: false, isTrusted: true } } }),
  'no-server': {
    ...scenario({ ready: { ...ready, models: { ...models, models: [] }, connection: { ...connection, state: 'unreachable' } } }),
  },
  'no-server-wsl': scenario({
    ready: {
      ...ready,
      models: { ...models, models: [] },
      connection: { ...connection, state: 'unreachable' },
      system: 'wsl',
      windowsHost: '172.24.96.1',
    },
  }),
  'ready-pulling': { ...scenario({ ready: { ...ready, pulls: [pull('qwen3:4b')] } }) },
  'no-models': { ...scenario({ ready: { ...ready, models: noModels }, suggestions }) },
  'pulling-models': {
    ...scenario({
      ready: {
        ...ready,
        models: noModels,
        pulls: [
          { ...pull('qwen3:14b'), completed: 3.4e9, bytesPerSecond: 41e6 },
          { ...pull('qwen3:4b'), status: 'starting', total: null },
          {
            ...pull('nobody/knows:it'),
            status: 'failed',
            message: 'The model “nobody/knows:it” was not found. Check the name.',
          },
        ],
      },
      suggestions,
    }),
  },
  listing: scenario({ ready: { ...ready, models: { ...noModels, stale: true } } }),
  unlisted: {
    ...scenario({
      ready: {
        ...ready,
        models: {
          ...noModels,
          stale: true,
          problem: 'Ollama reported an error: “disk failure”. Try again. If the problem persists, check the Ollama log.',
        },
      },
    }),
  },
  'wrong-server': {
    ...scenario({
      ready: {
        ...ready,
        models: noModels,
        connection: {
          ...connection,
          state: 'error',
          message: 'The server at http://localhost:8080 is not an Ollama server. Check the server address.',
        },
      },
    }),
  },
  token: scenario({
    ready: { ...ready, connection: { ...connection, state: 'unauthorized', baseUrl: 'https://ollama.example.org' } },
  }),
  untrusted: scenario({ ready: { ...ready, workspace: { ...ready.workspace, isTrusted: false } } }),
  demo: scenario({ ready: { ...ready, connection: { ...connection, demo: true } } }),
  'token-exposed': scenario({
    ready: { ...ready, connection: { ...connection, baseUrl: 'http://192.168.1.20:11434', isTokenExposed: true } },
  }),
  german: scenario({
    ready: { ...ready, l10n: german, models: { ...models, models: [] }, connection: { ...connection, state: 'unreachable' } },
  }),
};
