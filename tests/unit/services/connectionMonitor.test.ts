import assert from 'node:assert/strict';
import { ConnectionMonitor } from '../../../src/services/model/connection/connectionMonitor';
import type { OllamaClient } from '../../../src/services/model/client/ollamaClient';
import { ConnectionError, NoAnswerError } from '../../../src/services/model/client/ollamaErrors';
import { systemClock } from '../../../src/utils/clock';
import { CancelledError } from '../../../src/utils/errors';
import type { Logger } from '../../../src/utils/logger';
import { silentLogger } from '../../../src/utils/logger';
import { setTexts } from '../../../src/utils/l10n';
import { ManualClock } from '../database/support/manualClock';
import { readText } from '../package/manifest';

type Answer = Awaited<ReturnType<OllamaClient['testConnection']>>;

/** Returns a client whose connection tests end when the test lets them. */
function heldClient() {
  const waiting: ((answer: Answer) => void)[] = [];
  return { waiting, testConnection: () => new Promise<Answer>((resolve) => waiting.push(resolve)) };
}

describe('ConnectionMonitor', () => {
  it('asks a new address at once and forgets what the old one says', async () => {
    let address = 'http://old:1';
    const client = heldClient();
    const monitor = new ConnectionMonitor(client, () => address, false, systemClock, silentLogger);
    const first = monitor.check();
    address = 'http://new:2';
    const second = monitor.check();
    assert.equal(client.waiting.length, 2);
    client.waiting[0]?.({ ok: true, version: 'old' });
    client.waiting[1]?.({ ok: true, version: 'new' });
    const states = await Promise.all([first, second]);
    assert.deepEqual(
      states.map(({ baseUrl, version }) => [baseUrl, version]),
      [
        ['http://new:2', 'new'],
        ['http://new:2', 'new'],
      ],
    );
    monitor.dispose();
  });

  it('tells a server that is not there from one that cannot be reached for another reason', async () => {
    const client = heldClient();
    const monitor = new ConnectionMonitor(client, () => 'http://box:1', false, systemClock, silentLogger);
    for (const [index, error] of [new NoAnswerError('refused', 'x'), new ConnectionError('certificate', 'x')].entries()) {
      const checked = monitor.check();
      client.waiting[index]?.({ ok: false, error });
      const { state, isSilent } = await checked;
      assert.deepEqual([state, isSilent], ['unreachable', index === 0 ? true : undefined]);
    }
    monitor.dispose();
  });

  it('knows how long the server took to answer, and forgets it when it does not', async () => {
    const client = heldClient();
    let now = 1000;
    const clock = { ...systemClock, now: () => now };
    const monitor = new ConnectionMonitor(client, () => 'http://box:1', false, clock, silentLogger);
    assert.equal(monitor.latency, null);
    const first = monitor.check();
    now += 42;
    client.waiting[0]?.({ ok: true, version: '1' });
    await first;
    assert.equal(monitor.latency, 42);
    const second = monitor.check();
    client.waiting[1]?.({ ok: false, error: new ConnectionError('refused', 'Ollama does not answer.') });
    await second;
    assert.equal(monitor.latency, null);
    monitor.dispose();
  });

  it('gives up on a server that accepts and never answers, says so, and asks again', async () => {
    const clock = new ManualClock();
    const asked: AbortSignal[] = [];
    const client = {
      testConnection: ({ signal }: { signal?: AbortSignal | undefined } = {}) => {
        if (signal) asked.push(signal);
        return new Promise<Answer>((_resolve, reject) => signal?.addEventListener('abort', () => reject(new CancelledError())));
      },
    };
    const monitor = new ConnectionMonitor(client, () => 'http://box:1', false, clock, silentLogger);
    const watch = monitor.watch();
    const checked = monitor.check();
    await clock.advance(7_999);
    assert.equal(monitor.state.state, 'unknown');
    setTexts(JSON.parse(readText('l10n', 'bundle.l10n.de.json')) as Record<string, string>, 'de');
    await clock.advance(1);
    setTexts({});
    const { state, message } = await checked;
    assert.equal(state, 'unreachable');
    assert.match(message ?? '', /box:1 antwortet seit 8 Sekunden nicht/);
    assert.equal(asked[0]?.aborted, true);
    await clock.advance(3_000);
    assert.equal(asked.length, 2);
    void watch.dispose();
    monitor.dispose();
  });

  it('shares one question between checks of one address', async () => {
    const client = heldClient();
    const monitor = new ConnectionMonitor(client, () => 'http://box:1', false, systemClock, silentLogger);
    const both = Promise.all([monitor.check(), monitor.check()]);
    assert.equal(client.waiting.length, 1);
    client.waiting[0]?.({ ok: true, version: '1' });
    assert.deepEqual(
      (await both).map(({ state }) => state),
      ['connected', 'connected'],
    );
    monitor.dispose();
  });

  const exposures: [address: string, token: string | undefined, isExposed: boolean][] = [
    ['http://192.168.1.5:11434', 'secret', true],
    ['http://192.168.1.5:11434', undefined, false],
    ['https://192.168.1.5', 'secret', false],
    ['http://localhost:11434', 'secret', false],
    ['http://127.0.0.2:11434', 'secret', false],
    ['http://[::1]:11434', 'secret', false],
    ['http://box.localhost', 'secret', false],
    ['http://localhost.example.org', 'secret', true],
  ];
  for (const [address, token, isExposed] of exposures) {
    it(`${isExposed ? 'warns' : 'does not warn'} of a token at ${address} (${token ?? 'none'})`, async () => {
      const client = heldClient();
      const origins: string[] = [];
      const monitor = new ConnectionMonitor(
        client,
        () => address,
        false,
        systemClock,
        silentLogger,
        async (origin) => {
          origins.push(origin);
          return token;
        },
      );
      const checked = monitor.check();
      client.waiting[0]?.({ ok: true, version: '1' });
      assert.equal((await checked).isTokenExposed ?? false, isExposed);
      assert.deepEqual(
        [...new Set(origins)],
        address.startsWith('https') || /localhost:|127|::1|box/.test(address) ? [] : [address],
      );
      monitor.dispose();
    });
  }

  it('shows and logs no credentials of the address', async () => {
    const lines: string[] = [];
    const logger: Logger = { ...silentLogger, info: (message) => void lines.push(message) };
    const client = heldClient();
    const monitor = new ConnectionMonitor(client, () => 'http://user:secret@box:1', false, systemClock, logger);
    const checked = monitor.check();
    client.waiting[0]?.({ ok: true, version: '1' });
    assert.equal(`${JSON.stringify(await checked)}${lines.join()}`.includes('secret'), false);
    assert.equal(lines.length, 1);
    monitor.dispose();
  });
});
