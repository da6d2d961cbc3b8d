import { editor, editorCalls, settingsChanged } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { chooseServer, WorkspaceServerQuestion } from '../../../src/composition/contributions/workspaceServerContribution';
import { Settings } from '../../../src/config/settings';
import { ServerServices } from '../../../src/services/model/connection/serverServices';
import { StorageGate } from '../../../src/services/database/storageGate';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { ServerAnswers } from '../../../src/vscode/serverAnswers';
import { editorSettings } from '../../../src/vscode/settingsSource';
import { fakeMemento } from '../../support/fakeMemento';

const use = 'Use Workspace Server';
const keep = 'Keep My Server';

function windowOn(memento: ReturnType<typeof fakeMemento>) {
  const servers = new ServerAnswers(memento, () => undefined);
  const settings = new Settings(editorSettings(servers), () => undefined);
  return { servers, settings, logger: silentLogger as never };
}

const questions = () => editorCalls.filter(({ name }) => name === 'showWarningMessage').map(({ args }) => String(args[0]));
/** Waits until the effects of an answer are complete. */
const settle = () => new Promise((resolve) => setImmediate(resolve));

describe('the server of a workspace', () => {
  let memento = fakeMemento();

  beforeEach(() => {
    memento = fakeMemento();
    editor.userSettings.clear();
    editor.workspaceSettings.clear();
    editor.userSettings.set('ollamaCopilot.baseUrl', 'http://own:1');
    editor.answer = undefined;
    editorCalls.length = 0;
  });
  after(() => {
    editor.userSettings.clear();
    editor.workspaceSettings.clear();
    editor.answer = undefined;
  });

  const setOfWorkspace = (address: string) => editor.workspaceSettings.set('ollamaCopilot.baseUrl', address);

  it('is asked about once for each address, with both addresses, and the answer outlives the window', async () => {
    setOfWorkspace('http://theirs:2');
    editor.answer = use;
    const first = windowOn(memento);
    const question = new WorkspaceServerQuestion(first);
    assert.equal(first.settings.baseUrl, 'http://own:1');
    await settle();
    assert.equal(first.settings.baseUrl, 'http://theirs:2');
    settingsChanged();
    await question.dispose();
    const second = windowOn(memento);
    await new WorkspaceServerQuestion(second).dispose();
    assert.equal(second.settings.baseUrl, 'http://theirs:2');
    assert.deepEqual(
      questions().map((text) => [text.includes('http://theirs:2'), text.includes('http://own:1')]),
      [[true, true]],
    );
  });

  it('is not used after a no, nor without an answer, and only an open question comes back in the next window', async () => {
    setOfWorkspace('http://theirs:2');
    for (const [answer, asked] of [
      [undefined, 1],
      [keep, 2],
      [use, 2],
    ] as const) {
      editor.answer = answer;
      const opened = windowOn(memento);
      const question = new WorkspaceServerQuestion(opened);
      await settle();
      settingsChanged();
      await settle();
      assert.deepEqual([opened.settings.baseUrl, questions().length], ['http://own:1', asked]);
      await question.dispose();
    }
  });

  it('is asked about again when the repository changes the address, while the window is open', async () => {
    setOfWorkspace('http://theirs:2');
    editor.answer = use;
    const opened = windowOn(memento);
    const question = new WorkspaceServerQuestion(opened);
    await settle();
    editor.answer = keep;
    setOfWorkspace('http://theirs:3');
    assert.equal(opened.settings.baseUrl, 'http://own:1');
    settingsChanged();
    await settle();
    assert.deepEqual([opened.settings.baseUrl, questions().length], ['http://own:1', 2]);
    assert.match(questions()[1] ?? '', /http:\/\/theirs:3\b/);
    setOfWorkspace('http://theirs:2');
    settingsChanged();
    assert.deepEqual([opened.settings.baseUrl, questions().length], ['http://theirs:2', 2]);
    await question.dispose();
  });

  it('can be chosen later by the command, in both directions, in a dialog', async () => {
    setOfWorkspace('http://theirs:2');
    const opened = windowOn(memento);
    for (const [answer, server] of [
      [keep, 'own:1'],
      [use, 'theirs:2'],
      [undefined, 'theirs:2'],
      [keep, 'own:1'],
    ] as const) {
      editor.answer = answer;
      await chooseServer(opened, true);
      assert.equal(opened.settings.baseUrl, `http://${server}`);
    }
    const { args } = editorCalls.find(({ name }) => name === 'showWarningMessage') ?? { args: [] };
    assert.equal((args[1] as { modal: boolean }).modal, true);
  });

  it('needs no question without another address, and the command says so', async () => {
    setOfWorkspace('http://own:1/');
    const opened = windowOn(memento);
    await new WorkspaceServerQuestion(opened).dispose();
    await chooseServer(opened, true);
    assert.deepEqual(questions(), []);
    assert.equal(editorCalls.at(-1)?.args[0], 'This workspace does not set another Ollama server.');
  });

  it('stays unused where the answer cannot be stored, and the user is told', async () => {
    setOfWorkspace('http://theirs:2');
    editor.answer = use;
    const opened = windowOn(fakeMemento(new Error('No room')));
    const question = new WorkspaceServerQuestion(opened);
    await settle();
    assert.equal(opened.settings.baseUrl, 'http://own:1');
    assert.match(String(editorCalls.find(({ name }) => name === 'showErrorMessage')?.args[0]), /No room/);
    await question.dispose();
  });

  it('gets no connection before the yes, nor after a later no', async () => {
    const own = await countingServer();
    const theirs = await countingServer();
    editor.userSettings.set('ollamaCopilot.baseUrl', own.url);
    setOfWorkspace(theirs.url);
    const opened = windowOn(memento);
    const storage = new StorageGate<never>({
      directory: () => '/none',
      open: () => Promise.reject(new Error('closed')),
      clock: systemClock,
      logger: silentLogger,
    });
    const secrets = { get: async () => 'token', store: async () => undefined, delete: async () => undefined };
    const server = new ServerServices({
      settings: opened.settings,
      folder: () => '',
      secrets,
      storage,
      isDemo: false,
      clock: systemClock,
      logger: silentLogger,
    });
    const useEverything = async () => {
      await Promise.allSettled([
        server.connection.check(),
        server.catalog.refresh(),
        server.catalog.refreshLoaded(),
        server.client.testConnection({}),
        server.token.isSet(),
      ]);
    };
    try {
      await useEverything();
      const before = [own.count > 0, theirs.count];
      await opened.servers.set(opened.settings.workspaceServer?.address ?? '', true);
      await useEverything();
      const used = theirs.count;
      await opened.servers.set(opened.settings.workspaceServer?.address ?? '', false);
      await useEverything();
      assert.deepEqual([before, used > 0, theirs.count - used], [[true, 0], true, 0]);
    } finally {
      await server.dispose();
      own.close();
      theirs.close();
    }
  });
});

async function countingServer() {
  const counted = { count: 0, url: '', close: () => void server.close() };
  const server = http.createServer((_request, response) => response.end('{"version":"0.12.0","models":[]}'));
  server.on('connection', () => (counted.count += 1));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  counted.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return counted;
}
