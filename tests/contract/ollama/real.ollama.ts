import { sharedContract } from './sharedContract';
import { tinyModelNames } from './tinyModels';

const host = process.env['OLLAMA_HOST'];
if (!host) throw new Error('OLLAMA_HOST names no server; `npm run test:ollama` starts one.');
const baseUrl = /^https?:\/\//.test(host) ? host : `http://${host}`;

describe(`A real Ollama server`, () => {
  // A tiny model on a busy machine can take a minute to read its first prompt.
  sharedContract({ age: '0.32.15', baseUrl: () => baseUrl, models: tinyModelNames });
});
