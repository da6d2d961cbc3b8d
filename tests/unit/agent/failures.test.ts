import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { systemClock, type Clock } from '../../../src/utils/clock';
import type { ServerAge } from '../../support/ollama/doubleModel';
import { hold, type Scripted } from '../../support/ollama/doubleReply';
import { makeReadOnly } from '../../support/readOnlyFolder';
import { nextMessage, exitOf, startChild } from '../database/processes/child';
import { overwrite, withRaw } from '../database/support/stores';
import { AgentBench } from './support/agentBench';
import type { BenchOptions } from './support/agentBenchOptions';

/** Clock on which the waits before a retry end immediately. */
const hasty: Clock = {
  now: () => systemClock.now(),
  sleep: (milliseconds, signal) => systemClock.sleep(milliseconds > 5000 ? milliseconds : 1, signal),
};

interface Failure {
  title: string;
  options?: BenchOptions;
  model?: string;
  mode?: 'agent' | 'ask';
  text?: string;
  /** Replaces the answers of the server. */
  answer?: (request: IncomingMessage, response: ServerResponse) => void;
  script?: Scripted[];
  /** Everything that the user sees after `you: …`, including codes and actions. */
  seen: string[];
}

const busy: Scripted = { refuse: { status: 503, message: 'server busy, please try again.  maximum pending requests exceeded' } };
const status =
  (code: number, body: string, type = 'text/html') =>
  (_request: IncomingMessage, response: ServerResponse) =>
    void response.writeHead(code, { 'content-type': type }).end(body);
const loadError = (text: string): BenchOptions => ({
  models: [{ name: 'worker', capabilities: ['completion'], loadError: text }],
});
const createIt: Scripted = [{ call: { name: 'create_file', arguments: { path: 'notes/b.txt', content: 'one\n' } } }];

const overflowOf = (age: ServerAge, seen: string): Failure => ({
  title: `the conversation does not fit (${age})`,
  options: { server: { age }, models: [{ name: 'worker', capabilities: ['completion'], contextLength: 128 }] },
  // The message is too long: even its beginning and end do not fit into this window.
  text: 'word '.repeat(2000),
  seen: [seen, '= failed'],
});

const failures: Failure[] = [
  {
    title: 'no server, and no model seen yet',
    options: { baseUrl: 'http://127.0.0.1:1' },
    model: '',
    seen: [
      'error connection {startOllama, retry, openSettings}: Ollama does not respond at http://127.0.0.1:1. Start Ollama, or change the server address.',
      '= failed',
    ],
  },
  {
    title: 'no server',
    options: { baseUrl: 'http://127.0.0.1:1' },
    seen: [
      'error connection {startOllama, retry, openSettings}: Ollama does not respond at http://127.0.0.1:1. Start Ollama, or change the server address.',
      '= failed',
    ],
  },
  {
    title: 'the port of something else, which answers in HTML',
    answer: status(200, '<html>Router</html>'),
    seen: [
      'error address {openSettings, retry}: The server at URL is not an Ollama server. Check the server address.',
      '= failed',
    ],
  },
  {
    title: '401',
    answer: status(401, ''),
    seen: [
      'error auth {setToken, retry}: The server at URL requires a valid access token. Set the access token, then try again.',
      '= failed',
    ],
  },
  {
    title: '401 for a model of ollama.com',
    answer: (request, response) =>
      request.url === '/api/chat'
        ? status(401, '{"error":"unauthorized","signin_url":"https://ollama.com/connect"}', 'application/json')(request, response)
        : undefined,
    seen: [
      'error signIn {retry, selectModel}: This model runs on ollama.com, but your Ollama server is not signed in. Run “ollama signin” on the server, then try again.',
      '= failed',
    ],
  },
  {
    title: '403 of a proxy',
    answer: status(403, '<html>Forbidden</html>'),
    seen: ['error auth {setToken, retry}: The server at URL denied access. Check the access token and the address.', '= failed'],
  },
  {
    title: '403 of a server that does not take itself to be meant',
    answer: status(403, ''),
    seen: [
      'error address {openSettings, retry}: Ollama rejects requests to the host name in URL. Use the IP address in the settings, or set OLLAMA_HOST=0.0.0.0 on the server.',
      '= failed',
    ],
  },
  {
    title: 'an unknown model',
    model: 'gone',
    seen: [
      'error modelNotFound {pullModel, selectModel, retry}: The model “gone” is not installed on the Ollama server. Pull it, or choose another model.',
      '= failed',
    ],
  },
  {
    title: 'no model at all',
    options: { models: [] },
    model: '',
    seen: ['error noModel {selectModel, retry}: No model is selected. Choose a model, then try again.', '= failed'],
  },
  {
    title: '500 at load for want of memory',
    options: loadError('model requires more system memory (9.1 GiB) than is available (3.0 GiB)'),
    seen: [
      'error modelLoad {selectModel, retry}: There is not enough memory for the model “worker:latest”. Choose a smaller model, or reduce the context window in the settings.',
      '= failed',
    ],
  },
  {
    title: '500 at load because the runner died',
    options: loadError('llama-server process has terminated: signal: killed'),
    seen: [
      'error modelLoad {selectModel, retry}: The model “worker:latest” stopped unexpectedly. Try again. If the problem persists, choose a smaller model or reduce the context window.',
      '= failed',
    ],
  },
  {
    title: '500 with words of its own',
    options: loadError('something odd'),
    seen: [
      'error ollama {retry, showLog}: Ollama reported an error: “something odd”. Try again. If the problem persists, check the Ollama log.',
      '= failed',
    ],
  },
  {
    title: '503, four times',
    script: [busy, busy, busy, busy],
    seen: ['error serverBusy {retry}: Ollama is busy with other requests. Try again in a moment.', '= failed'],
  },
  {
    title: 'an error line in mid-stream',
    script: [['Half', { error: 'an error was encountered while running the model' }]],
    seen: [
      'text (incomplete): Half',
      'error stream {retry}: Ollama reported an error: “an error was encountered while running the model”. Try again. If the problem persists, check the Ollama log.',
      '= failed',
    ],
  },
  {
    title: 'an end without done',
    script: [['Half', { end: true }]],
    seen: ['text (incomplete): Half', 'error stream {retry}: The model’s answer ended early. Try again.', '= failed'],
  },
  {
    title: 'a connection lost in mid-stream',
    script: [['Half', { reset: true }]],
    seen: [
      'text (incomplete): Half',
      'error stream {retry}: The connection to Ollama was lost during the answer. Check that Ollama is running, then try again.',
      '= failed',
    ],
  },
  overflowOf(
    '0.32.15',
    'error contextOverflow {newSession, openSettings}: This chat needs about 2,613 tokens, but the context window is 128. Start a new chat, send a shorter message, or increase the context window in the settings.',
  ),
  overflowOf(
    '0.17.4',
    'error contextOverflow {newSession, openSettings}: This chat is too long for the model’s context window. Start a new chat, shorten the message, or increase the context window in the settings.',
  ),
  {
    title: 'no folder open',
    options: { hasFolder: false },
    mode: 'agent',
    seen: [
      'notice noFolder: No folder is open, so the agent has no tools. Open a folder to let the agent read and change files.',
      'text (complete): OK',
      '= done',
    ],
  },
  {
    title: 'a folder that is not trusted',
    options: { isTrusted: false },
    mode: 'agent',
    seen: [
      'notice untrusted: This workspace is not trusted, so the agent has no tools. Trust the workspace to let the agent read and change files.',
      'text (complete): OK',
      '= done',
    ],
  },
];

describe('each failure shows its own message and the way out', () => {
  let bench: AgentBench;
  const start = async (options: BenchOptions = {}): Promise<AgentBench> => (bench = await AgentBench.start(options));
  afterEach(() => bench.stop());

  for (const { title, options, model = 'worker', mode = 'ask', text = 'Go', answer, script = [], seen } of failures) {
    it(title, async () => {
      await start({ retryClock: hasty, ...options });
      bench.double.script.push(...script);
      if (answer !== undefined) {
        bench.double.intercept((request, response) => {
          answer(request, response);
          return response.writableEnded;
        });
      }
      const sessionId = await bench.ask(text, { mode, model: model === '' ? null : model });
      const shown = (await bench.seen(sessionId)).map((line) => line.replaceAll(bench.double.url, 'URL'));
      assert.deepEqual(shown.slice(1), seen);
      assert.deepEqual(bench.problems, []);
    });
  }

  it('a read-only folder', async () => {
    await start();
    const release = await makeReadOnly(bench.file('.'));
    try {
      bench.double.script.push(createIt, createIt, 'Sorry.');
      const sessionId = await bench.ask('Go');
      assert.deepEqual((await bench.seen(sessionId)).slice(1), [
        'create_file notes/b.txt [failed] read-only folder',
        'notice readOnly: Could not write notes/b.txt because its folder is read-only. Make the folder writable or open another folder, then ask again.',
        'create_file notes/b.txt [failed] read-only folder',
        'text (complete): Sorry.',
        '= done',
      ]);
    } finally {
      await release();
    }
  });
});

describe('storage that fails in mid-run', () => {
  let bench: AgentBench;
  afterEach(() => bench.stop());

  /** Starts a run that writes `Half` and continues when it is released. */
  async function half(more: string, options: BenchOptions = {}) {
    bench = await AgentBench.start(options);
    const held = hold();
    bench.double.script.push(['Half', held.step, more], 'Whole.');
    const sessionId = await bench.send('Go', { mode: 'ask' });
    await bench.view.waitFor(sessionId, (entry) => entry.type === 'assistant_output' && entry.content === 'Half');
    return { sessionId, release: held.release };
  }
  const kept = 'Everything up to the failure is stored. The end of this answer may be missing.';

  it('a full disk ends the run with what is kept, refuses the next message, and takes it when there is room', async () => {
    const { sessionId, release } = await half('x'.repeat(20_000));
    await bench.limitPages(1);
    release();
    await bench.idle(sessionId);
    // The database still has room for a short entry.
    const { entries: left } = await bench.database.log.read(sessionId, 0);
    const error = left.find(({ type }) => type === 'error');
    assert.equal(error?.content, `The disk with the chat history is full. Free up disk space, then try again. ${kept}`);
    await assert.rejects(bench.send('y'.repeat(100_000), { mode: 'ask', sessionId }), { code: 'full' });
    await bench.limitPages(1_000_000);
    await bench.ask('Again', { mode: 'ask', sessionId });
    const { entries } = await bench.database.log.read(sessionId, 0);
    assert.deepEqual(
      entries.filter(({ type }) => type === 'user_input').map(({ content }) => content),
      ['Go', 'Again'],
    );
    assert.match(entries.find(({ type }) => type === 'assistant_output')?.content ?? '', /^Half/);
    assert.equal(entries.at(-2)?.content, 'Whole.');
  });

  it('where not even the failure can be written, it is told outside the conversation', async () => {
    const { sessionId, release } = await half(' more');
    await bench.refuseWrites(true);
    release();
    await bench.idle(sessionId);
    const problem = 'Could not write to the chat history. Check the permissions of the storage folder, then try again.';
    assert.deepEqual(bench.problems.splice(0), [`${problem} ${kept}`]);
    await assert.rejects(bench.send('Again', { mode: 'ask', sessionId }), { code: 'readonly' });
    await bench.refuseWrites(false);
    await bench.ask('Again', { mode: 'ask', sessionId });
    const { entries } = await bench.database.log.read(sessionId, 0);
    assert.deepEqual(
      entries.slice(-3).map(({ type, content }) => [type, content]),
      [
        ['user_input', 'Again'],
        ['assistant_output', 'Whole.'],
        ['run_end', ''],
      ],
    );
  });

  it('a lock that does not pass refuses a message, which can be sent once it is gone', async () => {
    const { sessionId, release } = await half(' done.', { storageClock: hasty });
    release();
    await bench.over(sessionId);
    const child = startChild('locker', bench.databaseFile());
    await nextMessage(child);
    await assert.rejects(bench.send('Again', { mode: 'ask', sessionId }), { code: 'locked' });
    child.send('let go');
    await exitOf(child);
    await bench.ask('Again', { mode: 'ask', sessionId });
    assert.deepEqual(await bench.seen(sessionId), [
      'you: Go',
      'text (complete): Half done.',
      '= done',
      'you: Again',
      'text (complete): Whole.',
      '= done',
    ]);
  });

  it('damage ends the run with a message, and the file is left as it is', async () => {
    const damaged: string[] = [];
    const { sessionId, release } = await half(' more', { onDamage: ({ code }) => void damaged.push(code) });
    const root = withRaw(bench.storageFolder(), (database) => {
      database.exec('PRAGMA wal_checkpoint(TRUNCATE)');
      return Number(database.prepare("SELECT rootpage FROM sqlite_schema WHERE name = 'messages'").get()?.rootpage);
    });
    overwrite(bench.databaseFile(), (root - 1) * 4096, 4096);
    const before = readFileSync(bench.databaseFile());
    release();
    await bench.idle(sessionId);
    assert.equal(bench.problems.length, 1);
    assert.match(bench.problems.pop() ?? '', /damaged.*left unchanged.*Everything up to the failure/);
    assert.deepEqual(damaged, ['corrupt']);
    await assert.rejects(bench.send('Again', { mode: 'ask', sessionId }), { code: 'corrupt' });
    await bench.database.dispose().catch(() => undefined);
    assert.ok(before.equals(readFileSync(bench.databaseFile())));
  });
});
