import assert from 'node:assert/strict';
import { options, type ContractTarget } from './contractTarget';
import { rawExchange, type RawRequest } from './rawHttp';
import { jsonOf, jsonType, type Line } from './wireShape';
import { until } from '../../support/until';

export function catalogContract(target: ContractTarget): void {
  const { models } = target;
  const ask = (request: RawRequest) => rawExchange(target.baseUrl(), request);
  const show = async (model: string) => jsonOf(await ask({ path: '/api/show', body: { model } }));

  describe('catalog', () => {
    it('says that it runs, and its version without a newline', async () => {
      assert.deepEqual(await ask({ path: '/' }), {
        status: 200,
        contentType: 'text/plain; charset=utf-8',
        text: 'Ollama is running',
      });
      const version = await ask({ path: '/api/version' });
      assert.match(version.text, /^\{"version":"\d+\.\d+\.\d+[^"]*"\}$/);
      assert.equal(version.contentType, jsonType);
    });

    it('answers HEAD without a body', async () => {
      for (const path of ['/', '/api/version', '/api/tags']) {
        const { status, text } = await ask({ method: 'HEAD', path });
        assert.deepEqual({ path, status, text }, { path, status: 200, text: '' });
      }
    });

    it('answers unknown paths and wrong methods in plain text', async () => {
      assert.deepEqual(await ask({ path: '/api/nothing' }), {
        status: 404,
        contentType: 'text/plain',
        text: '404 page not found',
      });
      const wrong = { status: 405, contentType: 'text/plain', text: '405 method not allowed' };
      assert.deepEqual(await ask({ path: '/api/chat' }), wrong);
      assert.deepEqual(await ask({ path: '/api/tags', body: {} }), wrong);
    });

    it('refuses foreign origins and hosts with an empty body, and lets webviews in', async () => {
      const get = async (headers: Record<string, string>) => {
        const { status, text } = await ask({ path: '/api/version', headers });
        return status === 200 ? { status } : { status, text };
      };
      assert.deepEqual(await get({ Origin: 'http://evil.example' }), { status: 403, text: '' });
      assert.deepEqual(await get({ Host: 'evil.example' }), { status: 403, text: '' });
      for (const Origin of ['vscode-webview://abc', 'http://localhost:5173', 'https://127.0.0.1']) {
        assert.deepEqual(await get({ Origin }), { status: 200 }, Origin);
      }
      const { status } = await ask({ method: 'OPTIONS', path: '/api/chat', headers: { Origin: 'http://localhost' } });
      assert.equal(status, 204);
    });

    it('lists models with their tag, newest first', async () => {
      const { models: listed } = jsonOf(await ask({ path: '/api/tags' })) as { models: Line[] };
      const names = listed.map((model) => model.name);
      for (const name of Object.values(models)) assert.ok(names.includes(`${name}:latest`), name);
      // The server sorts with a precision of whole seconds.
      const times = listed.map((model) => Math.floor(Date.parse(String(model.modified_at)) / 1000));
      assert.deepEqual(
        times,
        times.toSorted((a, b) => b - a),
      );
      const chat = listed.find((model) => model.name === `${models.chat}:latest`) ?? {};
      const base = ['name', 'model', 'modified_at', 'size', 'digest', 'details'];
      assert.deepEqual(Object.keys(chat), target.age === '0.17.4' ? base : [...base, 'capabilities']);
      assert.match(String(chat.digest), /^[0-9a-f]{64}$/);
      const details = ['parent_model', 'format', 'family', 'families', 'parameter_size', 'quantization_level'];
      const lengths = target.age === '0.17.4' ? [] : ['context_length', 'embedding_length'];
      assert.deepEqual(Object.keys(chat.details as Line), [...details, ...lengths]);
    });

    it('shows the capabilities that count', async () => {
      const capabilities = async (model: string) => ((await show(model)).capabilities as string[]).toSorted();
      assert.deepEqual(
        {
          chat: await capabilities(models.chat),
          tools: await capabilities(models.tools),
          toolsNative: await capabilities(models.toolsNative),
          thinking: await capabilities(models.thinking),
          insert: await capabilities(models.insert),
          embed: await capabilities(models.embed),
        },
        {
          chat: ['completion'],
          tools: ['completion', 'tools'],
          toolsNative: ['completion', 'tools'],
          thinking: ['completion', 'thinking'],
          insert: ['completion', 'insert'],
          embed: ['embedding'],
        },
      );
    });

    it('shows parameters as padded text and the context length in model_info', async () => {
      const shown = await show(models.chat);
      assert.deepEqual(String(shown.parameters).split('\n').toSorted(), [
        'num_predict                    1024',
        'num_thread                     1',
        'stop                           "<|im_end|>"',
        'temperature                    0',
      ]);
      const info = shown.model_info as Line;
      const architecture = String(info['general.architecture']);
      assert.deepEqual(
        [architecture, info[`${architecture}.context_length`], info['tokenizer.ggml.tokens']],
        ['llama', 8192, null],
      );
      assert.match(String(shown.modified_at), /^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/);
    });

    it('shows in ps what is loaded, with the window it was loaded with', async () => {
      const running = async () => {
        const { models: listed } = jsonOf(await ask({ path: '/api/ps' })) as { models: Line[] };
        return listed.find((model) => model.name === `${models.chat}:latest`);
      };
      await ask({ path: '/api/chat', body: { model: models.chat, options, keep_alive: -1 } });
      const loaded = (await running()) ?? {};
      assert.deepEqual(
        [loaded.model, loaded.context_length, Number.parseInt(String(loaded.expires_at)) > 2200],
        [`${models.chat}:latest`, 2048, true],
      );
      const unloaded = jsonOf(await ask({ path: '/api/chat', body: { model: models.chat, keep_alive: 0 } }));
      assert.equal(unloaded.done_reason, 'unload');
      await until(async () => (await running()) === undefined);
    });

    it('deletes nothing that is not there', async () => {
      const { status, text } = await ask({ method: 'DELETE', path: '/api/delete', body: { model: 'no-such-model' } });
      assert.deepEqual({ status, text }, { status: 404, text: `{"error":"model 'no-such-model' not found"}` });
    });

    it('tells in the stream that a pull has failed', async () => {
      const { status, text } = await ask({ path: '/api/pull', body: { model: 'no-such-model' } });
      const [first, second = '{}', ...rest] = text.trimEnd().split('\n');
      assert.deepEqual([status, first, rest], [200, '{"status":"pulling manifest"}', []]);
      assert.match(String((JSON.parse(second) as Line).error), /^pull model manifest: /);
    });
  });
}
