import assert from 'node:assert/strict';
import { chooseContextWindow } from '../../../src/services/model/context/contextWindows';

describe('The context window', () => {
  const cases: [title: string, own: number | null, contextWindow: number, maxContextWindow: number, expected: number][] = [
    ['is the model’s own where that is smaller', 8192, 16000, 65536, 8192],
    ['is the largest allowed where the model’s own is larger', 131072, 16000, 65536, 65536],
    ['is the fallback where the model’s own is unknown', null, 16000, 65536, 16000],
    ['is the largest allowed where the fallback is larger', null, 100000, 65536, 65536],
    ['is the fallback where the server says zero', 0, 16000, 65536, 16000],
    ['is never below what the server takes', 1, 16000, 65536, 4],
    ['is whole', null, 1000.7, 65536, 1000],
  ];
  for (const [title, contextLength, contextWindow, maxContextWindow, expected] of cases) {
    it(title, () => {
      assert.equal(chooseContextWindow({ contextLength }, { contextWindow, maxContextWindow }), expected);
    });
  }
});
