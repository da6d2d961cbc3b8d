import assert from 'node:assert/strict';
import { ModelManager } from '../../../src/services/model/catalogue/modelManager';
import { CapabilityError, ContextOverflowError, ModelNotFoundError } from '../../../src/services/model/client/ollamaErrors';
import { silentLogger } from '../../../src/utils/logger';
import { OllamaDouble } from '../../support/ollama/double';
import { chatRequest, collect, makeClient, rejection } from './support/client';
import { MemoryModelStore } from './support/memoryModelStore';
import { RecordingClock } from './support/recordingClock';

for (const age of ['0.17.4', '0.32.15'] as const) {
  describe(`Against a server of ${age}`, () => {
    let double: OllamaDouble;
    let client: ReturnType<typeof makeClient>['client'];
    const request = { ...chatRequest, model: 'test-model' };

    beforeEach(async () => {
      double = await OllamaDouble.start({ age, models: [{ name: 'test-model', capabilities: ['completion'] }] });
      ({ client } = makeClient(double.url));
    });
    afterEach(async () => {
      client.dispose();
      await double.close();
    });

    it('a chat after a load with the same options finds the model loaded', async () => {
      double.onChat(() => 'Hello there');
      await client.load({ model: request.model, options: { num_ctx: request.options.num_ctx }, keep_alive: request.keep_alive });
      const read = await collect(client.chat(request));
      assert.equal(read.map((part) => part.message.content).join(''), 'Hello there');
      assert.equal(double.loads.length, 1);
    });

    it('an overflow is told as such', async () => {
      double.onChat(() => 'never said');
      const content = 'one two three four '.repeat(5000);
      const error = await rejection(client.chat({ ...request, messages: [{ role: 'user', content }] }));
      assert.ok(error instanceof ContextOverflowError, String(error));
    });

    it('a model that is not there is told as such', async () => {
      const name = 'nosuch';
      const calls = [() => client.chat({ ...request, model: name }), () => client.showModel(name), () => client.pull(name)];
      for (const call of calls) {
        const error = await rejection(call());
        assert.ok(error instanceof ModelNotFoundError, String(error));
        assert.equal(error.model, name);
      }
    });

    it('tools for a model without them are told as such', async () => {
      const tool = { type: 'function', function: { name: 'f', description: 'd', parameters: { type: 'object' } } } as const;
      const error = await rejection(client.chat({ ...request, tools: [tool] }));
      assert.ok(error instanceof CapabilityError);
      assert.equal(error.capability, 'tools');
    });

    it('the model list is complete', async () => {
      const manager = new ModelManager(client, new MemoryModelStore(), new RecordingClock(), silentLogger);
      const [model] = (await manager.refresh()).models;
      assert.equal(model?.name, 'test-model:latest');
      assert.deepEqual([model.capabilities.chat, model.capabilities.tools, typeof model.contextLength], [true, false, 'number']);
    });
  });
}
