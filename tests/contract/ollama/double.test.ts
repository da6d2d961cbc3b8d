import { OllamaDouble } from '../../support/ollama/double';
import type { ServerAge } from '../../support/ollama/doubleModel';
import { doubleOnlyContract } from './doubleOnly';
import { sharedContract } from './sharedContract';
import { tinyModelNames, tinyModels, tinyReply } from './tinyModels';

const variants: { age: ServerAge; chunkBytes: number }[] = [
  { age: '0.32.15', chunkBytes: 65_536 },
  { age: '0.32.15', chunkBytes: 1 },
  { age: '0.17.4', chunkBytes: 7 },
];

for (const { age, chunkBytes } of variants) {
  describe(`The double of a server of ${age}, ${chunkBytes} bytes at a time`, () => {
    let double: OllamaDouble;
    before(async () => {
      // Counts words. The tokens of the tiny models are nearly the same.
      const countTokens = (text: string): number => text.split(/\s+/).filter((word) => word !== '').length;
      double = await OllamaDouble.start({ age, chunkBytes, models: tinyModels.map((model) => ({ ...model, countTokens })) });
      double.onChat(tinyReply);
      double.onGenerate(tinyReply);
    });
    after(() => double.close());
    sharedContract({ age, baseUrl: () => double.url, models: tinyModelNames });
  });
}

doubleOnlyContract();
