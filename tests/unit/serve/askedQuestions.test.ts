import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { PassThrough } from 'node:stream';
import { runCommand } from '../../../src/cli/commands';
import { typedLine } from '../../../src/cli/typedLine';
import { askApproval } from '../../../src/serve/questions/askApproval';
import { SessionUpdates } from '../../../src/serve/acp/sessionUpdates';
import { TerminalQuestions } from '../../../src/serve/terminalQuestions';
import type { SessionLog } from '../../../src/services/database/log/sessionLog';
import { askedQuestions, type AskedQuestion } from '../../support/questions/askedQuestions';
import { hostileTexts } from '../../support/questions/hostileTexts';
import { seen, unseenIn } from '../../support/questions/shownTexts';
import { cellsOf, ownRows, quotedIn, TerminalDouble } from '../../support/questions/terminalDouble';
import { until } from '../../support/until';
import { AsyncMutex } from '../../../src/utils/asyncMutex';

/** Our own rows. Nothing else from a question may be outside of its frame. */
const ours = [/^\? [\w ]+\?$/, /^Page \d+ of \d+\. .*> $/, /^Page \d+ of \d+\. .*> (y)?$/, /^Allow\? \[y\/N\] y$/];

function problemsOf(text: string, { name, shows }: AskedQuestion): string[] {
  const quoted = quotedIn(text);
  return [
    ...shows
      .filter((one) => !quoted.includes(seen(one)) && !quoted.includes(seen(one, '')))
      .map((one) => `${name}: does not show ${JSON.stringify(one.slice(0, 80))}`),
    ...unseenIn(text, '\n\t').map((one) => `${name}: has ${JSON.stringify(one)}`),
    ...ownRows(text)
      .filter((row) => !ours.some((known) => known.test(row)))
      .map((row) => `${name}: has a row of its own: ${JSON.stringify(row.slice(0, 80))}`),
    ...text
      .split('\n')
      .filter((row) => cellsOf(row) > 80)
      .map((row) => `${name}: has a row that the terminal would break: ${JSON.stringify(row.slice(0, 80))}`),
  ].slice(0, 4);
}

/** Asks the questions on the terminal of `serve`. Resolves to the decisions when all are answered. */
async function askOnServe(terminal: TerminalDouble, asked: readonly AskedQuestion[]): Promise<boolean[]> {
  let take: Parameters<SessionLog['onDidChange']>[0] = () => undefined;
  const decisions: boolean[] = [];
  const database = { log: { onDidChange: (listener: typeof take) => void (take = listener) } };
  const decided: (() => void)[] = [];
  const controller = {
    decideApproval: async (_session: string, _id: string, approve: boolean) => {
      decisions.push(approve);
      decided.shift()?.();
    },
  };
  const clients = { isAnyonePresent: () => false, onDidLeave: () => ({ dispose: () => undefined }) };
  new TerminalQuestions({ database, controller } as never, terminal.terminal, clients, new AsyncMutex());
  for (const { data } of asked) {
    const done = new Promise<void>((resolve) => decided.push(resolve));
    const entry = { type: 'approval', data: { ...data, approvalId: 'a', callId: 'c', phase: 'requested' } };
    take({ kind: 'entry', sessionId: 's', entry } as never);
    await done;
  }
  return decisions;
}

describe('what a person is asked', () => {
  it('is a corpus of at least 100 questions', () => {
    assert.ok(askedQuestions.length >= 100, String(askedQuestions.length));
    assert.equal(new Set(askedQuestions.map(({ name }) => name)).size, askedQuestions.length);
  });

  it('is shown in full on the terminal of serve, and changes nothing there', async () => {
    const problems: string[] = [];
    for (const one of askedQuestions) {
      const terminal = new TerminalDouble();
      assert.deepEqual(await askOnServe(terminal, [one]), [true], one.name);
      problems.push(...problemsOf(terminal.text, one));
    }
    assert.deepEqual(problems, []);
  });

  it('tells the risk first, and takes a yes only on the last page', async () => {
    const long = askedQuestions.filter(({ name }) => /^command: (10,000 characters, harm last|2,000 lines)/.test(name));
    assert.equal(long.length, 2);
    for (const one of long) {
      const first = new TerminalDouble(() => 'n');
      assert.deepEqual([await askOnServe(first, [one]), first.prompts.length], [[false], 1]);
      assert.match(first.text, /^\s*\? Allow this command\?\n {2}Risk {5} │ high: deletes files\n {2}Folder {3} │ lib\n/);
      assert.ok(first.text.split('\n').length <= 26);
      let tries = 0;
      const eager = new TerminalDouble((prompt) => (tries++ < 5 ? 'y' : /^Page /.test(prompt) ? '' : 'y'));
      assert.deepEqual(await askOnServe(eager, [one]), [true]);
      assert.match(eager.text, /rm -rf lib\/end-of-it/);
      const sure = new TerminalDouble(() => 'allow');
      assert.deepEqual([await askOnServe(sure, [one]), sure.prompts.length], [[true], 1]);
    }
  });

  it('names other projects, and no file, where it is about their chats', async () => {
    const about = askedQuestions.filter(({ name }) => name === 'chats: of two projects');
    const terminal = new TerminalDouble();
    await askOnServe(terminal, about);
    assert.match(
      terminal.text,
      /\? Allow reading chats from other projects\?\n {2}Risk.*\n {2}Project {3}│ \/elsewhere\/shop\n {2}Project {3}│ \/elsewhere\/bank\n/,
    );
    const { title, content } = new SessionUpdates('/work/project').approval({ type: 'approval', ...about[0]?.data } as never);
    assert.equal(title, 'Allow reading chats from other projects?');
    const text = '```\nRisk: chats from other projects\nProject: /elsewhere/shop\nProject: /elsewhere/bank\n```';
    assert.deepEqual(content, [{ type: 'content', content: { type: 'text', text } }]);
  });

  it('is shown in full to a client of the Agent Client Protocol', () => {
    const updates = new SessionUpdates('/work/project');
    const problems = askedQuestions.flatMap(({ name, data, shows }) => {
      const told = updates.approval({
        type: 'approval',
        idx: 0,
        call_id: 'c',
        approval: 'a',
        phase: 'requested',
        ...data,
      } as never);
      const texts = told.content.flatMap((one) =>
        one.type === 'diff'
          ? [one.path, one.oldText ?? '', one.newText]
          : one.type === 'content' && one.content.type === 'text'
            ? [one.content.text]
            : [],
      );
      const text = [told.title, ...texts].join('\n');
      const folder = data.kind === 'command' ? [path.resolve('/work/project', seen(data.cwd ?? '', ''))] : [];
      return [
        ...[...shows.map((one) => [seen(one), seen(one, '')]), ...folder.map((one) => [one])]
          .filter((forms) => !forms.some((form) => text.includes(form)))
          .map(([form = '']) => `${name}: does not show ${JSON.stringify(form.slice(0, 80))}`),
        ...unseenIn(text, '\n\t').map((one) => `${name}: has ${JSON.stringify(one)}`),
        ...(told.title.length > 300 ? [`${name}: its title has ${told.title.length} characters`] : []),
        // Quoted text cannot end the fence that encloses it.
        ...texts.flatMap((one) => {
          const [, fence] = /^(`{3,})/m.exec(one) ?? [];
          return fence === undefined || one.split(fence).length % 2 === 1 ? [] : [`${name}: ends its fence`];
        }),
      ].slice(0, 4);
    });
    assert.deepEqual(problems, []);
  });
});

describe('a command that the sandbox blocked', () => {
  const stopped = (host: string | null) => ({
    kind: 'command',
    command: 'npm install',
    cwd: '.',
    severity: 'low',
    reasons: ['the sandbox denied: network access'],
    sandbox: { denials: [{ kind: 'network', target: host }], host },
  });
  const ask = async (host: string | null, answers: string[]) => {
    const double = new TerminalDouble((prompt) => (/^Page /.test(prompt) ? '' : (answers.shift() ?? '')));
    return { ...(await askApproval(double.terminal, stopped(host))), double };
  };

  it('asks for the number of an answer, and a yes is none', async () => {
    const { double, ...answer } = await ask('a.example', ['y', 'allow', '0', '4', '1']);
    assert.deepEqual(answer, { approve: true, choice: 'allow_host' });
    assert.equal(double.prompts.length, 5);
    assert.match(double.text, /\? The sandbox blocked this command\n {2}Risk/);
    assert.match(quotedIn(double.text), /\n1: Allow a\.example for this session\n2: Run outside the sandbox once\n3: Skip$/);
  });

  for (const [host, given, expected] of [
    ['a.example', '2', { approve: true, choice: 'run_outside' }],
    ['a.example', '3', { approve: false }],
    ['a.example', '', { approve: false }],
    ['a.example', 'no', { approve: false }],
    [null, '1', { approve: true, choice: 'run_outside' }],
    [null, '2', { approve: false }],
  ] as const) {
    it(`takes ${JSON.stringify(given)} with ${host ?? 'no host'} as ${JSON.stringify(expected)}`, async () => {
      const { double, ...answer } = await ask(host, [given]);
      assert.deepEqual(answer, expected, double.text);
    });
  }

  it('is skipped without a terminal', async () => {
    const { terminal } = new TerminalDouble();
    assert.deepEqual(await askApproval({ ...terminal, askText: null }, stopped('a.example')), { approve: false });
  });
});

describe('what the agent asks a client of the Agent Client Protocol', () => {
  it('is shown in full, with its answers, and nothing of it is hidden', () => {
    const updates = new SessionUpdates('/work/project');
    for (const [name, text] of hostileTexts) {
      const event = { type: 'question', dialog_id: 'd', call_id: 'c', question: 'q', content: text, options: ['Yes', text] };
      const { toolCall, answers, names } = updates.question(event);
      const [shown = ''] = toolCall.content.flatMap((one) =>
        one.type === 'content' && one.content.type === 'text' ? [one.content.text] : [],
      );
      assert.ok(shown.includes(seen(text)), name);
      assert.deepEqual(unseenIn([toolCall.title, shown, ...names].join('\n'), '\n\t'), [], name);
      assert.ok(toolCall.title.length <= 300, name);
      assert.deepEqual(answers, ['Yes', text]);
    }
  });
});

describe('what the command ollama-copilot prints', () => {
  let folder: string;
  let server: Server;
  let events: { type: string; data: unknown }[];
  let approved: Record<string, boolean>;
  let answers: Record<string, string>;
  let document = '';

  beforeEach(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'ollama-copilot-asked-'));
    events = [];
    approved = {};
    answers = {};
    server = createServer((request, response) => {
      if (request.url?.includes('/export') === true) return void response.end(document);
      const [, question] = /questions\/(\w+)$/.exec(request.url ?? '') ?? [];
      const [, approval] = /approvals\/(\w+)$/.exec(request.url ?? '') ?? [];
      if (request.url?.endsWith('/events') === true) {
        response.writeHead(200, { 'Content-Type': 'text/event-stream' });
        for (const [at, { type, data }] of events.entries())
          response.write(`id: ${at}\nevent: ${type}\ndata: ${JSON.stringify({ type, idx: at, ...(data as object) })}\n\n`);
        return;
      }
      let body = '';
      request.on('data', (piece: Buffer) => (body += piece.toString()));
      request.on('end', () => {
        if (approval !== undefined) approved[approval] = (JSON.parse(body) as { approve: boolean }).approve;
        if (question !== undefined) answers[question] = (JSON.parse(body) as { answer: string }).answer;
        response.end(JSON.stringify({ id: 'd' }));
      });
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as AddressInfo;
    await writeFile(path.join(folder, 'api.json'), JSON.stringify({ url: `http://127.0.0.1:${port}`, token: 'token' }));
  });
  afterEach(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    await rm(folder, { recursive: true, force: true });
  });

  const run = ({ terminal }: TerminalDouble, args: string[], signal = terminal.signal) =>
    runCommand(['--connect', path.join(folder, 'api.json'), ...args], { ...terminal, signal });

  for (const how of ['run', 'ask'])
    it(`asks in full for ${how}, and changes nothing on the terminal`, async () => {
      events = approvals();
      events.push({ type: 'done', data: { outcome: 'done' } });
      const double = new TerminalDouble();
      assert.equal(await run(double, [how, 'Go']), 0, double.text);
      const asked = double.text.split(/^(?=\? )/m).slice(1);
      assert.equal(asked.length, askedQuestions.length);
      assert.deepEqual(
        askedQuestions.flatMap((one, at) => problemsOf(asked[at] ?? '', one)),
        [],
      );
      assert.equal(Object.values(approved).filter(Boolean).length, askedQuestions.length);
    });

  const approvals = () =>
    askedQuestions.map(({ data }, at) => ({
      type: 'approval',
      data: { ...data, approval: `a${at}`, call_id: 'c', phase: 'requested' },
    }));
  const hostile = hostileTexts.map(([, text]) => text);

  for (const how of ['run', 'ask'])
    it(`prints nothing of a model, of a tool or of a server that changes the terminal for ${how}`, async () => {
      events = hostile.flatMap((text) => [
        ...[...text].map((piece) => ({ type: 'chat', data: { content: piece } })),
        { type: 'tool_call', data: { status: 'running', name: text.slice(0, 200), args: { text } } },
        { type: 'error', data: { error: text } },
      ]);
      events.push({ type: 'done', data: { outcome: 'done' } });
      const double = new TerminalDouble();
      assert.equal(await run(double, [how, 'Go']), 0);
      assert.deepEqual(unseenIn(double.text.replace(/[\u200c\u200d]/g, ''), '\n\t'), []);
      assert.match(double.text, /rm -rf lib\/end-of-it/);
      // A line break in a call's name does not start a new row.
      assert.match(double.text, /· ls⟨U\+000A⟩⟨U\+000A⟩\? Allow this command/);
    });

  for (const [what, event, first] of [
    [
      'a command',
      { type: 'approval', data: { ...askedQuestions[0]?.data, approval: 'a', call_id: 'c', phase: 'requested' } },
      '? Allow',
    ],
    [
      'an answer',
      { type: 'question', data: { question: 'q', phase: 'asked', content: 'Tabs?', options: [] } },
      '? The agent has a question',
    ],
  ] as const)
    it(`asks for ${what} on a new line after a reset, also in the middle of a line of the model`, async () => {
      events = [{ type: 'chat', data: { content: 'a line without an end' } }, event, { type: 'done', data: { outcome: 'done' } }];
      const double = new TerminalDouble();
      assert.equal(await run(double, ['run', 'Go']), 0);
      assert.equal(double.resets, 1);
      assert.ok(double.text.startsWith(`a line without an end\n${first}`), double.text);
    });

  for (const isTTY of [true, false])
    it(`watches as JSON that has nothing hidden in it and means the same, ${isTTY ? 'on a terminal' : 'in a pipe'}`, async () => {
      events = [...approvals(), ...hostile.map((text) => ({ type: 'chat', data: { content: text } }))];
      const stop = new AbortController();
      const double = new TerminalDouble(undefined, isTTY);
      const watching = run(double, ['watch', 'd', '--from', '0'], stop.signal);
      await until(() => double.text.split('\n').length > events.length);
      stop.abort();
      assert.equal(await watching, 0);
      assert.deepEqual(unseenIn(double.text), []);
      const rows = double.text.trimEnd().split('\n');
      assert.deepEqual(
        rows.map((row) => JSON.parse(row) as object),
        events.map(({ type, data }, idx) => ({ type, idx, ...(data as object) })),
      );
    });

  it('exports a document byte for byte into a pipe, and readable on a terminal', async () => {
    document = hostile.join('\n').toWellFormed();
    const terminal = new TerminalDouble();
    const pipe = new TerminalDouble(undefined, false);
    assert.deepEqual([await run(terminal, ['export', 'd']), await run(pipe, ['export', 'd'])], [0, 0]);
    assert.equal(pipe.text === document, true);
    assert.deepEqual(unseenIn(terminal.text.replace(/[\u200c\u200d]/g, ''), '\n\t'), []);
  });

  it('has a question of the agent answered on the terminal', async () => {
    const question = { question: 'q1', phase: 'asked', content: 'Tabs\u001b[2J or\nblanks?', options: ['Tabs', 'Blanks\r'] };
    events = [
      { type: 'question', data: question },
      { type: 'done', data: { outcome: 'done' } },
    ];
    const double = new TerminalDouble(() => 'Blanks');
    assert.equal(await run(double, ['run', 'Go']), 0);
    assert.deepEqual(answers, { q1: 'Blanks' });
    assert.match(quotedIn(double.text), /Tabs⟨U\+001B⟩\[2J or\nblanks\?\nTabs\nBlanks⟨U\+000D⟩/);
    assert.deepEqual(unseenIn(double.text), []);
  });
});

describe('a line that is typed at a prompt', () => {
  it('is none that was typed before it', async () => {
    const input = new PassThrough();
    const output = new PassThrough();
    input.write('y\n');
    const typed = typedLine({ input, output, signal: new AbortController().signal }, 'Allow? ');
    let shown = '';
    output.on('data', (piece: Buffer) => (shown += piece.toString()));
    await until(() => shown.includes('Allow? '));
    input.write('no\n');
    assert.equal(await typed, 'no');
  });
});
