import assert from 'node:assert/strict';
import { requestOptions } from '../../../src/services/model/context/requestOptions';
import { parseOptionNames } from '../../../src/services/model/catalogue/modelCompatibility';
import type { OllamaOptions } from '../../../src/types/ollama';
import { options } from './contractTarget';
import { rawExchange } from './rawHttp';
import { tinyModelNames } from './tinyModels';
import { jsonOf } from './wireShape';

const host = process.env['OLLAMA_HOST'] ?? '';
const baseUrl = /^https?:\/\//.test(host) ? host : `http://${host}`;

/** Lines that repeat what is before them, as code and JSON do. */
const lines = [
  'sum += values[i];',
  'const total = total + total * rate;',
  'if (a === a) return a;',
  '{"a": 1, "b": 1, "c": 1}',
  'for (let i = 0; i < i.length; i++) {',
  'return values.map((value) => value.value);',
  'import { t } from "../t";',
  'x = x - x + x;',
  'git add . && git commit && git push',
  'path.join(path.dirname(path), "path");',
  'left.left = left.right;',
  'assert.equal(sum(1, 1), 2);',
];

describe('A real model that copies lines', function () {
  this.timeout(300_000);

  const post = async (path: string, body: object) => jsonOf(await rawExchange(baseUrl, { path, body }));

  /** Number of lines that come back to the byte. */
  const exact = async (penalty: Pick<OllamaOptions, 'repeat_penalty'>): Promise<number> => {
    let copied = 0;
    for (const line of lines) {
      const prompt = `Line: let a = b;\nCopy: let a = b;\n\nLine: call(first, second);\nCopy: call(first, second);\n\nLine: ${line}\nCopy:`;
      const { response } = await post('/api/generate', {
        ...{ model: tinyModelNames.chat, prompt, raw: true, stream: false },
        options: { ...options, num_predict: 48, stop: ['\n'], ...penalty },
      });
      if (String(response).trim() === line) copied += 1;
    }
    return copied;
  };

  it('copies more of them with what requests send than with what servers before 0.32.10 apply', async () => {
    const { parameters } = await post('/api/show', { model: tinyModelNames.chat });
    const sent = requestOptions({ ownOptions: parseOptionNames(String(parameters)) }, options.num_ctx);
    assert.deepEqual(sent, { num_ctx: options.num_ctx, repeat_penalty: 1 });
    const [before, after] = [await exact({ repeat_penalty: 1.1 }), await exact(sent)];
    console.log(`      exact copies: ${before} of ${lines.length} at 1.1, ${after} at 1`);
    assert.ok(after > before, `${after} > ${before}`);
  });
});
