import assert from 'node:assert/strict';
import { Settings } from '../../../src/config/settings';
import { ServerServices } from '../../../src/services/model/connection/serverServices';
import { StorageGate } from '../../../src/services/database/storageGate';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { until } from '../../support/until';
import { chatRequest, chunk, rejection } from './support/client';
import { Gate } from './support/gate';
import { sendJson, startHttpServer } from './support/httpServer';

describe('A server that goes down', () => {
  const environment = { clock: systemClock, logger: silentLogger };
  const closed = () => Promise.reject(new Error('closed'));

  /** Connects to a server whose chat responses never end. */
  async function connected() {
    const begun = new Gate();
    const server = await startHttpServer((response, { path }) => {
      if (path !== '/api/chat') {
        sendJson(response, 200, { version: '1', models: [] });
        return;
      }
      response.writeHead(200, { 'content-type': 'application/x-ndjson' }).write(`${JSON.stringify(chunk('a'))}\n`);
      begun.open();
    });
    const services = new ServerServices({
      settings: new Settings({ get: (key) => (key === 'baseUrl' ? server.url : undefined) }, () => undefined),
      folder: () => '',
      secrets: { get: async () => undefined, store: async () => undefined, delete: async () => undefined },
      storage: new StorageGate<never>({ directory: () => '/none', open: closed, ...environment }),
      isDemo: false,
      ...environment,
    });
    assert.equal((await services.connection.check()).state, 'connected');
    return { server, services, begun };
  }

  it('is shown as such when an answer breaks off', async () => {
    const { server, services, begun } = await connected();
    const answer = rejection(services.client.chat(chatRequest));
    await begun.opened;
    await server.close();
    await answer;
    await until(() => services.connection.state.state === 'unreachable');
    await services.dispose();
  });

  it('is shown as such when any request gets no answer', async () => {
    const { server, services } = await connected();
    await server.close();
    await services.catalog.refreshLoaded();
    await until(() => services.connection.state.state === 'unreachable');
    await services.dispose();
  });
});
