import assert from 'node:assert/strict';
import type { ModelInfo } from '../../../src/types/model';
import { readThinkingLevels } from '../../../src/services/model/catalogue/modelCompatibility';
import { OllamaDouble } from '../../support/ollama/double';
import { ModelManager } from '../../../src/services/model/catalogue/modelManager';
import { silentLogger } from '../../../src/utils/logger';
import { makeClient } from '../model/support/client';
import { MemoryModelStore } from '../model/support/memoryModelStore';
import { RecordingClock } from '../model/support/recordingClock';
import { AgentBench } from './support/agentBench';

describe('Levels of thinking', () => {
  const thinker = { name: 'worker', capabilities: ['completion', 'tools', 'thinking'] } as const;
  const levels = { values: ['low', 'medium', 'high'], default: 'medium' };

  const sent = async (model: Partial<ModelInfo>, spec: object): Promise<unknown[]> => {
    const bench = await AgentBench.start({ models: [{ ...thinker, ...spec }] });
    try {
      bench.double.script.push('One.', 'Two.');
      const sessionId = await bench.ask('Go', { mode: 'ask' });
      if (model.think !== undefined) await bench.models.setThink('worker', model.think);
      await bench.ask('On', { mode: 'ask', sessionId });
      return bench.chats().map((body) => body['think']);
    } finally {
      await bench.stop();
    }
  };

  it('are the default of the server until a person chooses one of those it offers', async () => {
    assert.deepEqual(await sent({ think: 'high' }, { thinking: levels }), ['medium', 'high']);
    assert.deepEqual(await sent({ think: false }, { thinking: { values: [true, false], default: true } }), [true, false]);
  });

  it('are not made up: one that the server does not offer is not sent, and unknown is not false', async () => {
    assert.deepEqual(await sent({ think: 'max' }, { thinking: levels }), ['medium', 'medium']);
    assert.deepEqual(await sent({ think: 'high' }, {}), [true, true]);
  });

  it('are read with care: what is no level is none', () => {
    assert.deepEqual(readThinkingLevels({ thinking: { values: ['low', 3, null, '', 'low', false], default: 'none' } }), {
      values: ['low', false],
      default: null,
    });
    for (const thinking of [undefined, null, {}, { values: 'low' }, { values: [] }])
      assert.equal(readThinkingLevels({ thinking: thinking as never }), null);
  });

  it('are asked for again once a server is newer, and what was chosen is kept with the model', async () => {
    const store = new MemoryModelStore();
    const asked = async (spec: object): Promise<ModelInfo | undefined> => {
      const double = await OllamaDouble.start({ models: [{ ...thinker, ...spec }] });
      const { client } = makeClient(double.url);
      try {
        const manager = new ModelManager(client, store, new RecordingClock(), silentLogger);
        const { models } = await manager.refresh();
        if (models[0]?.thinking) await manager.setThink('worker:latest', 'low');
        await manager.refresh();
        return (await manager.list()).models[0];
      } finally {
        client.dispose();
        await double.close();
      }
    };
    assert.equal((await asked({}))?.thinking, null);
    assert.deepEqual((await asked({ thinking: levels }))?.thinking, levels);
    assert.deepEqual([(await asked({ thinking: levels }))?.think, store.models[0]?.think], ['low', 'low']);
  });
});
