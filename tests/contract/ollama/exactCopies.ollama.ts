import assert from 'node:assert/strict';
import { requestOptions } from '../../../src/services/model/context/requestOptions';
import { parseOptionNames } from '../../../src/services/model/catalogue/modelCompatibility';
import { exactCopies, linesToCopy } from '../../support/ollama/exactCopies';
import { RealServer } from '../../support/ollama/realServer';
import { options } from './contractTarget';
import { tinyModelNames } from './tinyModels';

const server = RealServer.named();
if (!server) throw new Error('OLLAMA_HOST names no server; `npm run test:ollama` starts one.');

describe('A real model that copies lines', () => {
  it('copies more of them with what requests send than with what servers before 0.32.10 apply', async () => {
    const { parameters } = (await server.post('/api/show', { model: tinyModelNames.chat })) as { parameters: string };
    const sent = requestOptions({ ownOptions: parseOptionNames(parameters) }, options.num_ctx);
    assert.deepEqual(sent, { num_ctx: options.num_ctx, repeat_penalty: 1 });
    const lines = linesToCopy.slice(0, 12);
    const before = await exactCopies(server, tinyModelNames.chat, lines, { repeat_penalty: 1.1 });
    const after = await exactCopies(server, tinyModelNames.chat, lines, { repeat_penalty: 1 });
    console.log(`      exact copies: ${before} of ${lines.length} at 1.1, ${after} at 1`);
    assert.ok(after > before, `${after} > ${before}`);
  });
});
