import assert from 'node:assert/strict';
import { Settings } from '../../../src/config/settings';
import { ContextWindows, type ChosenWindow } from '../../../src/services/model/context/contextWindows';
import { silentLogger } from '../../../src/utils/logger';
import { Workbench } from '../database/support/stores';

const bench = new Workbench();
afterEach(() => bench.clean());

const model = { name: 'm', digest: 'd', contextLength: 32_768 as number | null };

describe('the windows of models', () => {
  it('are kept for the digest between sessions, whatever else is found out, until a setting changes', async () => {
    const given: Record<string, unknown> = { contextWindow: 8000 };
    const settings = new Settings({ get: (key) => given[key] }, () => undefined);
    const { models } = await bench.service(bench.folder());
    const later = () => new ContextWindows(models, settings, silentLogger);
    assert.equal(await later().tokensFor(model), 32_768);
    assert.equal(await later().tokensFor({ ...model, contextLength: null }), 32_768);
    assert.equal(await later().tokensFor({ ...model, digest: 'other', contextLength: null }), 8000);
    given['agent.maxContextWindow'] = 4096;
    assert.equal(await later().tokensFor(model), 4096);
  });

  it('are the one that the user chose for the model, at once and in the next session, until that is taken back', async () => {
    const { models } = await bench.service(bench.folder());
    const settings = new Settings({ get: (key) => (key === 'agent.maxContextWindow' ? 16_384 : undefined) }, () => undefined);
    const windows = new ContextWindows(models, settings, silentLogger);
    assert.equal(await windows.tokensFor(model), 16_384);
    await models.keepOwnWindow('d', 24_576);
    assert.equal(await windows.tokensFor(model), 24_576);
    assert.equal(await new ContextWindows(models, settings, silentLogger).tokensFor(model), 24_576);
    assert.equal(await windows.tokensFor({ ...model, digest: 'other' }), 16_384);
    await models.keepOwnWindow('d', null);
    assert.equal(await windows.tokensFor(model), 16_384);
  });

  it('are chosen all the same where they cannot be kept', async () => {
    const failing = {
      readWindow: () => Promise.reject<ChosenWindow>(new Error('no disk')),
      keepWindow: () => Promise.reject<void>(new Error('no disk')),
      readOwnWindow: () => Promise.reject<undefined>(new Error('no disk')),
    };
    const windows = new ContextWindows(failing, new Settings({ get: () => undefined }, () => undefined), silentLogger);
    assert.equal(await windows.tokensFor(model), 32_768);
  });
});
