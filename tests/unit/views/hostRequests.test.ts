import { editor, editorCalls } from '../../support/fakeEditor';
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { z } from 'zod';
import * as vscode from 'vscode';
import { AttachmentReader } from '../../../src/agent/prompt/attachmentReader';
import { WorkspacePaths } from '../../../src/services/files/workspacePaths';
import { Settings } from '../../../src/config/settings';
import { hostRequests, type HostRequestName } from '../../../src/protocol/hostApi';
import { ConnectionMonitor } from '../../../src/services/model/connection/connectionMonitor';
import { ModelActions } from '../../../src/services/model/catalogue/modelActions';
import { ModelManager } from '../../../src/services/model/catalogue/modelManager';
import { OllamaClient } from '../../../src/services/model/client/ollamaClient';
import { FigureKeeper } from '../../../src/services/model/fit/figureKeeper';
import { FitTasks } from '../../../src/services/model/fit/fitTasks';
import { MemoryPlanner } from '../../../src/services/model/fit/memoryPlanner';
import { ServerArbiter } from '../../../src/services/model/serverArbiter';
import { ModelCatalog } from '../../../src/services/model/catalogue/modelCatalog';
import { PendingEditReviewService } from '../../../src/services/review/pendingEditReviewService';
import { StorageGate } from '../../../src/services/database/storageGate';
import type { SessionServices } from '../../../src/views/sessionServices';
import type { Disposable } from '../../../src/utils/disposable';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { ServerAnswers } from '../../../src/vscode/serverAnswers';
import { ChatConnection } from '../../../src/views/chatConnection';
import { ChatViewProvider } from '../../../src/views/chatView';
import { CodeProposals } from '../../../src/vscode/codeProposals';
import { ChangeReview } from '../../../src/vscode/review/changeReview';
import { SnapshotDocuments } from '../../../src/vscode/review/snapshotDocuments';
import { Chance, fitting, hostileValues, spoilt, type Shape } from '../../support/hostile';
import { McpBench } from '../mcp/support/mcpBench';
import { AgentBench } from '../agent/support/agentBench';
import { until } from '../../support/until';

interface Answer {
  t: string;
  i: string;
  r?: unknown;
  e?: { code?: unknown; message?: unknown };
}

/** Returns a review for an editor that shows nothing. */
function reviewOf({ changes }: AgentBench): Pick<SessionServices, 'review' | 'reviewEditor'> {
  const never = () => ({ dispose: () => undefined });
  const reviewEditor = {
    document: () => undefined,
    visible: () => [],
    cursor: () => undefined,
    edit: () => Promise.resolve(false),
    show: () => Promise.resolve(),
    onDidChangeText: never,
    onDidMoveCursor: never,
  };
  const sources = { changes, sessionOf: () => Promise.resolve(undefined) };
  return { reviewEditor, review: new PendingEditReviewService(sources, reviewEditor, systemClock, silentLogger) };
}

/** The host's side of the view on real services. The test plays the view. */
class HostBench {
  readonly answers = new Map<string, (answer: Answer) => void>();
  readonly rejections: unknown[] = [];
  private listener: (message: unknown) => void = () => undefined;
  private sent = 0;
  private readonly closers: (() => unknown)[] = [];

  private constructor(readonly agent: AgentBench) {}

  static async start(): Promise<HostBench> {
    const agent = await AgentBench.start();
    const bench = new HostBench(agent);
    editor.folder = agent.file('.');
    const settings = new Settings({ get: () => undefined }, () => undefined);
    const environment = { clock: systemClock, logger: silentLogger };
    const client = new OllamaClient({ baseUrl: () => agent.double.url, token: async () => undefined, ...environment });
    const models = new ModelManager(client, agent.database.models, systemClock, silentLogger);
    const catalog = new ModelCatalog(models, settings, systemClock, silentLogger);
    const connection = new ConnectionMonitor(client, () => agent.double.url, false, systemClock, silentLogger);
    const storage = new StorageGate<SessionServices & Disposable>({
      directory: () => agent.file('.'),
      open: async () => ({
        database: agent.database,
        messages: agent.messages,
        codebase: agent.codebase,
        controller: agent.controller,
        meter: agent.meter,
        preparer: agent.preparer,
        exams: agent.exams,
        registry: agent.registry,
        instructions: agent.instructions,
        changes: agent.changes,
        ...reviewOf(agent),
        restores: agent.restores,
        histories: agent.histories,
        workSessions: agent.workSessions,
        background: agent.background,
        commandOutputs: agent.commandOutputs,
        grants: agent.grants,
        sandboxLevelAvailable: () => Promise.resolve({ isAvailable: true }),
        memory: agent.memory,
        care: agent.care,
        mcp: new McpBench({}).servers,
        dispose: () => undefined,
      }),
      ...environment,
    });
    await storage.open();
    const kept = new Map<string, unknown>();
    const memento = {
      get: (key: string) => kept.get(key),
      update: async (key: string, value: unknown) => void kept.set(key, value),
    };
    const port = { folders: () => [{ name: 'project', path: agent.file('.') }], isTrusted: () => true, commandShell: () => 'sh' };
    const attachments = new AttachmentReader(new WorkspacePaths(port), { openText: () => undefined, confirm: async () => false });
    const actions = new ModelActions(client, () => catalog.refresh(), systemClock, silentLogger);
    const figures = new FigureKeeper(
      { all: async () => new Map(), keep: async () => undefined },
      models,
      () => 'here',
      silentLogger,
    );
    const ownWindows = { keepOwnWindow: async () => undefined };
    const windows = { tokensFor: async () => 4096 };
    const arbiter = new ServerArbiter();
    const fit = new FitTasks({
      client,
      models,
      catalog,
      actions,
      figures,
      arbiter,
      windows,
      ownWindows,
      settings,
      logger: silentLogger,
    });
    const planner = new MemoryPlanner({ models, catalog, figures, windows, settings, logger: silentLogger });
    const review = new ChangeReview(new SnapshotDocuments(() => undefined));
    const proposals = new CodeProposals(review);
    const sessionsOn = (opened: SessionServices) => opened;
    const services = {
      servers: new ServerAnswers(memento, () => undefined),
      storage,
      sessionsOn,
      settings,
      connection,
      catalog,
      actions,
      fit,
      planner,
      attachments,
      review,
      proposals,
      keptConnections: { list: async () => [], dropped: 0 },
      folder: () => agent.file('.'),
      lastTerminal: () => ({ command: 'make', output: 'done' }),
      ...environment,
      completions: async () => ({
        models: {
          options: async () => [],
          test: async (name: string) => ({ name, size: 1, verdict: 'can' as const, words: '' }),
        },
        countsSince: async () => [],
      }),
      onDidTestModel: () => ({ dispose: () => undefined }),
      token: { isSet: async () => false, remove: async () => undefined },
      isOffered: () => true,
      onDidChangeSettings: () => ({ dispose: () => undefined }),
    };
    const chat = new ChatConnection(services, memento as unknown as vscode.Memento);
    const provider = new ChatViewProvider(
      { path: '/extension' } as unknown as vscode.Uri,
      memento as never,
      async (channel, onReady) => chat.connect(channel, onReady),
      silentLogger,
    );
    let gone = (): void => undefined;
    const view = {
      visible: true,
      onDidDispose: (listener: () => void) => (gone = listener),
      webview: {
        options: {},
        html: '',
        cspSource: '',
        asWebviewUri: (uri: unknown) => uri,
        postMessage: async (message: Answer) => {
          if (message.t === 's') bench.answers.get(message.i)?.(message);
          return true;
        },
        onDidReceiveMessage: (listener: (message: unknown) => void) => (bench.listener = listener),
      },
    };
    await provider.resolveWebviewView(view as unknown as vscode.WebviewView);
    const onRejection = (reason: unknown) => void bench.rejections.push(reason);
    process.on('unhandledRejection', onRejection);
    bench.closers.push(
      () => process.off('unhandledRejection', onRejection),
      () => gone(),
      () => connection.dispose(),
      () => actions.dispose(),
      () => catalog.dispose(),
      () => models.dispose(),
      () => client.dispose(),
      () => agent.stop(),
    );
    return bench;
  }

  /** Posts any message as the editor would, by structured cloning. */
  post(message: unknown): void {
    this.listener(structuredClone(message));
  }

  /** Sends a request. Asserts that there is exactly one response and returns it. */
  async ask(name: string, ...args: unknown[]): Promise<Answer> {
    const i = `request ${(this.sent += 1)}`;
    const answers: Answer[] = [];
    const answered = new Promise<void>((resolve) => this.answers.set(i, (answer) => resolve(void answers.push(answer))));
    this.post({ t: 'q', i, m: name, a: args });
    await Promise.race([answered, until(() => answers.length > 0, `no answer to ${name}`)]);
    await pause(0);
    assert.equal(answers.length, 1, `${answers.length} answers to ${name}`);
    return answers[0] as Answer;
  }

  async close(): Promise<void> {
    for (const close of this.closers) await close();
  }
}

/** Asserts that a response has a result of the declared type, or an error that has a code and a message and does not come from a bug. */
function assertProper(name: HostRequestName, params: unknown, { r, e }: Answer): void {
  const about = `${name} ${(JSON.stringify(params) ?? 'undefined').slice(0, 300)} → ${JSON.stringify(e ?? r)?.slice(0, 300)}`;
  if (e === undefined) {
    assert.ok(hostRequests[name].result.safeParse(r).success, about);
    return;
  }
  assert.ok(typeof e.code === 'string' && e.code !== '' && typeof e.message === 'string' && e.message !== '', about);
  assert.notEqual(e.code, 'internal', about);
  if (!(hostRequests[name].params as z.ZodType).safeParse(params).success) assert.equal(e.code, 'malformed', about);
}

describe('requests of the view', () => {
  let bench: HostBench;
  const names = Object.keys(hostRequests) as HostRequestName[];
  const shapeOf = (name: HostRequestName) => z.toJSONSchema(hostRequests[name].params) as Shape;

  before(async () => {
    bench = await HostBench.start();
  });
  after(async () => {
    await bench.close();
    editor.userSettings.clear();
  });
  afterEach(() => {
    editor.settingsFailure = null;
    assert.deepEqual(bench.rejections, []);
    assert.equal(({} as Record<string, unknown>)['polluted'], undefined);
  });

  for (const name of names) {
    it(`${name}: whatever comes with it, there is one answer: the declared result or an error with a code`, async () => {
      const chance = new Chance([...name].reduce((sum, letter) => sum * 31 + letter.charCodeAt(0), 7));
      const shape = shapeOf(name);
      const session = await bench.agent.ask('A session to meddle with', { mode: 'ask' });
      const ids = [session, 'worker:latest', 'a.txt', 'https://example.org/'];
      const repeats = name === 'send' ? 12 : 40;
      for (let round = 0; round < repeats; round += 1) {
        // The editor sometimes fails to save, as it does when the settings file contains errors.
        editor.settingsFailure = round % 3 === 2 ? new Error('Unable to write into user settings.') : null;
        const good = fitting(shape, chance, ids);
        assertProper(name, good, await bench.ask(name, good));
        const bad = spoilt(shape, chance, ids);
        if (name !== 'send' || !hostRequests.send.params.safeParse(bad).success)
          assertProper(name, bad, await bench.ask(name, bad));
      }
      assertProper(name, undefined, await bench.ask(name));
    });
  }

  it('a message of ten megabytes is kept and answered like any other', async () => {
    const text = 'ten megabytes '.repeat(750_000);
    const { r } = await bench.ask('send', { sessionId: null, text, mode: 'ask', model: null });
    const { sessionId } = r as { sessionId: string };
    await bench.agent.over(sessionId);
    const { entries } = await bench.agent.database.log.read(sessionId, 0);
    assert.equal(entries.find(({ type }) => type === 'user_input')?.content.length, text.length);
  });

  it('a view that comes up is told what is in the editor, every time, and what of it may hold secrets', async () => {
    const shown = vscode.window as unknown as { activeTextEditor: unknown };
    const selection = { isEmpty: true };
    const inEditor = async (name: string) => {
      await writeFile(bench.agent.file(name), 'KEY=1');
      shown.activeTextEditor = { document: { uri: vscode.Uri.file(bench.agent.file(name)) }, selection };
      const { r } = await bench.ask('ready', {});
      return (r as { inEditor: unknown }).inEditor;
    };
    try {
      const open = [{ item: { kind: 'editor', path: 'open.ts' }, isSent: true }];
      assert.deepEqual([await inEditor('open.ts'), await inEditor('open.ts')], [open, open]);
      assert.deepEqual(await inEditor('.env'), [{ item: { kind: 'editor', path: '.env' }, isSent: false, mayBeSecret: true }]);
    } finally {
      shown.activeTextEditor = undefined;
    }
  });

  it('names and ids of ten megabytes are refused', async () => {
    const text = 'x'.repeat(10_000_000);
    for (const [name, params] of [
      ['openSession', { sessionId: text, sinceRevision: 0 }],
      ['selectModel', { mode: 'ask', model: text }],
      ['openLink', { url: text }],
      ['openFile', { path: text }],
    ] as const) {
      assert.equal((await bench.ask(name, params)).e?.code, 'malformed', name);
    }
  });

  it('never reaches outside: no file, no link of another kind, no command but its own', async () => {
    editorCalls.length = 0;
    for (const path of ['../../etc/passwd', 'a/../../b', '..']) {
      assert.equal((await bench.ask('openFile', { path })).e?.code, 'cannotOpen', path);
    }
    for (const url of [
      'javascript:alert(1)',
      'command:workbench.action.quit',
      'file:///etc/passwd',
      'vscode://x',
      'no link',
      'https://[',
      'a b:c',
      'file:////server/x',
    ]) {
      assert.equal((await bench.ask('openLink', { url })).e?.code, 'cannotOpen', url);
    }
    assert.equal((await bench.ask('runCommand', { command: 'workbench.action.quit' })).e?.code, 'malformed');
    assert.deepEqual(editorCalls, []);
  });

  it('tells of files in the workspace and of nothing else whether they are there', async () => {
    await writeFile(bench.agent.file('there.ts'), '');
    const outside = `${bench.agent.file('.')}/../${path.basename(bench.agent.file('.'))}/there.ts`;
    const paths = ['there.ts', './there.ts', 'none.ts', '.', '..', '../x.ts', '/etc/passwd', 'a\0b', outside.slice(1)];
    const { r } = await bench.ask('findFiles', { paths });
    assert.deepEqual(r, { found: ['there.ts', 'there.ts', ...Array<null>(7).fill(null)] });
  });

  it('opens the address that it shows', async () => {
    editor.answer = 'Open';
    for (const [url, shown] of [
      ['https://good\\@evil', 'https://good/@evil'],
      ['https:////example.org', 'https://example.org/'],
      ['https://exаmple.org/a b', 'https://xn--exmple-4nf.org/a%20b'],
    ] as const) {
      editorCalls.length = 0;
      assert.deepEqual((await bench.ask('openLink', { url })).r, {}, url);
      assert.deepEqual(
        editorCalls.map(({ name, args }) => [name, String(args[0])]),
        [
          ['showInformationMessage', shown],
          ['openExternal', shown],
        ],
      );
    }
    editor.answer = undefined;
  });

  it('what is dropped and is no file is named, beside what is one', async () => {
    const bad = ['a b:c', 'file:////server/x', 'https:////x', 'https://example.org/'];
    const { r } = await bench.ask('attachFiles', { uris: [...bad, `file://${bench.agent.file('a.txt')}`] });
    const { problems } = r as { problems: string[] };
    for (const uri of bad)
      assert.ok(problems.includes(`${uri} cannot be attached because it is not a file on this computer.`), uri);
  });

  it('a model that cannot be saved is told as on the settings page', async () => {
    editor.settingsFailure = new Error('Unable to write into user settings.');
    const { e } = await bench.ask('selectModel', { mode: 'ask', model: 'worker:latest' });
    assert.deepEqual(
      [e?.code, e?.message],
      ['settingNotSaved', 'Could not save the setting. Unable to write into user settings.'],
    );
  });

  it('unknown ids are told as such', async () => {
    const sessionId = 'no such session';
    const codes = await Promise.all(
      (
        [
          ['openSession', { sessionId, sinceRevision: 0 }],
          ['send', { sessionId, text: 'Hello', mode: 'ask', model: null }],
          ['retry', { sessionId }],
          ['decideApproval', { sessionId, approvalId: 'none', approve: true }],
        ] as const
      ).map(async ([name, params]) => (await bench.ask(name, params)).e?.code),
    );
    assert.deepEqual(codes, ['sessionMissing', 'notFound', 'sessionNotFound', 'approvalGone']);
  });

  it('what is no request at all is dropped, and the next one is answered', async () => {
    const heads: unknown[] = [...hostileValues, ...names.slice(0, 3)];
    const chance = new Chance(4);
    for (let round = 0; round < 400; round += 1) {
      const t = chance.pick<unknown>(['q', 's', 'x', null, 7]);
      bench.post({ t, m: chance.pick(heads), i: chance.pick(heads), a: chance.pick(hostileValues), o: true });
      bench.post(chance.pick(hostileValues));
    }
    await pause(50);
    assertProper('newChat', {}, await bench.ask('newChat', {}));
  });
});
