import assert from 'node:assert/strict';
import { ModelLoader } from '../../../src/agent/loop/modelLoader';
import type { Activity } from '../../../src/protocol/webviewEvents';
import type { ChatRequest, RunningModel } from '../../../src/types/ollama';
import { OllamaDouble } from '../../support/ollama/double';
import type { ModelSpec } from '../../support/ollama/doubleModel';
import { chatRequest, makeClient, rejection } from '../model/support/client';
import { RecordingClock } from '../model/support/recordingClock';

const running = (context_length?: number) => [{ name: 'm:latest', context_length }] as unknown as RunningModel[];

/** Builds a loader for a server with these responses to `/api/ps`. The last one repeats. */
function loaderOn(answers: RunningModel[][]) {
  const loads: unknown[] = [];
  const client = { load: async (request: unknown) => void loads.push(request) };
  const models = { running: async () => (answers.length > 1 ? (answers.shift() ?? []) : (answers[0] ?? [])) };
  const run = { report: () => undefined, signal: new AbortController().signal };
  const loader = new ModelLoader(client, models, new RecordingClock());
  const load = (name = 'm', request: ChatRequest = chatRequest) => loader.load({ name }, { ...request, model: name }, run);
  return { loads, load };
}

describe('loading a model before it is asked', () => {
  it('sends the load-time options of the request and its keep_alive, nothing else', async () => {
    const { loads, load } = loaderOn([[]]);
    await load('m', { ...chatRequest, options: { num_ctx: 1024, temperature: 1, stop: ['x'], num_predict: 5 }, think: true });
    assert.deepEqual(loads, [{ model: 'm', options: { num_ctx: 1024 }, keep_alive: '30m' }]);
  });

  const cases: [title: string, ps: RunningModel[][], loads: number][] = [
    ['is left out where the model is in memory with that window', [running(1024)], 0],
    ['is left out where the server does not say the window', [running()], 0],
    ['is done as often as it is there with another window', [running(4096), running(1024), running(4096), running(1024)], 2],
    ['is done once where the server grants less than it is asked for', [[], running(512)], 1],
  ];
  for (const [title, ps, count] of cases) {
    it(title, async () => {
      const { loads, load } = loaderOn(ps);
      await load();
      await load();
      assert.equal(loads.length, count);
    });
  }

  it('is left out for what runs at ollama.com', async () => {
    const { loads, load } = loaderOn([[]]);
    await load('gpt-oss:120b-cloud');
    await load('deepseek:cloud');
    assert.deepEqual(loads, []);
  });

  describe('on a server', () => {
    let double: OllamaDouble;
    let client: ReturnType<typeof makeClient>['client'];
    const said: Activity[] = [];
    const load = async (spec: Partial<ModelSpec>, name = 'm') => {
      double = await OllamaDouble.start({ models: [{ name: 'm', ...spec }] });
      const made = makeClient(double.url);
      ({ client } = made);
      const run = { report: (activity: Activity) => void said.push(activity), signal: new AbortController().signal };
      const loader = new ModelLoader(client, { running: (signal) => client.getRunningModels({ signal }) }, made.clock);
      await loader.load({ name }, { ...chatRequest, model: name }, run);
    };

    afterEach(async () => {
      said.length = 0;
      client.dispose();
      await double.close();
    });

    it('tells each retry of a load that fails, and why it failed in the end', async () => {
      const error = await rejection(load({ loadError: 'model requires more system memory (9 GiB) than is available (4 GiB)' }));
      assert.equal((error as { code: string }).code, 'modelLoad');
      assert.match((error as { userMessage: string }).userMessage, /not enough memory/);
      const retries = said.flatMap((activity) => (activity.kind === 'retrying' ? [[activity.attempt, activity.of]] : []));
      assert.deepEqual(retries, [
        [1, 3],
        [2, 3],
        [3, 3],
      ]);
    });

    it('reports a model that is gone as a chat does, at once', async () => {
      const error = await rejection(load({}, 'gone'));
      assert.equal((error as { code: string }).code, 'modelNotFound');
      assert.deepEqual(
        said.map(({ kind }) => kind),
        ['connecting', 'loading'],
      );
    });
  });
});
