import assert from 'node:assert/strict';
import { AgentBench } from './support/agentBench';

describe('What a session may do without a question', () => {
  let bench: AgentBench;
  beforeEach(async () => void (bench = await AgentBench.start()));
  afterEach(() => bench.stop());

  const call = (command: string) => [{ call: { name: 'run_terminal_command', arguments: { command } } }];
  const nothing = { commands: false, sandbox: false, hosts: [], sensitiveEdits: false, allowedCommands: [], files: [] };
  const approvals = (sessionId: string) =>
    bench.view.entries(sessionId).flatMap((entry) => {
      if (entry.type !== 'approval') return [];
      const { phase, decision, decidedBy, isAlways } = entry.data;
      return [[phase, decision, decidedBy, isAlways].filter((part) => part !== undefined).join(' ')];
    });

  it('is nothing, until a person says so', async () => {
    bench.double.script.push('Hello');
    const sessionId = await bench.ask('hi');
    assert.deepEqual(await bench.grants.of(sessionId), nothing);
    assert.deepEqual(await bench.grants.of('no such session'), nothing);
  });

  it('is said with the first message, and kept with the session', async () => {
    bench.double.script.push(call('pwd'), call('ls'), 'Done');
    const grants = { commands: true, sensitiveEdits: false };
    const { sessionId } = await bench.controller.send({ sessionId: null, text: 'look', mode: 'agent', model: 'worker', grants });
    await bench.over(sessionId);
    assert.deepEqual(approvals(sessionId), ['decided approved session', 'decided approved session']);
    assert.deepEqual(await bench.grants.of(sessionId), { ...nothing, ...grants });
    const record = await bench.database.sessions.get(sessionId);
    assert.deepEqual([record?.auto_approve_commands, record?.auto_approve_sensitive_edits], [1, 0]);
    const seen = await bench.seen(sessionId);
    assert.equal(
      seen.some((line) => line.includes('pwd')),
      true,
    );
  });

  it('holds from the next command on, whichever way it is changed', async () => {
    bench.double.script.push(call('pwd'), 'Done');
    const sessionId = await bench.send('look');
    await bench.controller.decideApproval(sessionId, (await bench.question(sessionId)).data.approvalId, false);
    await bench.over(sessionId);
    await bench.grants.change(sessionId, { commands: true });
    bench.double.script.push(call('pwd'), 'Done');
    await bench.ask('again', { sessionId });
    await bench.grants.change(sessionId, { commands: false });
    bench.double.script.push(call('pwd'), 'Done');
    await bench.send('and again', { sessionId });
    await bench.controller.decideApproval(sessionId, (await bench.question(sessionId)).data.approvalId, true);
    await bench.over(sessionId);
    assert.deepEqual(approvals(sessionId), [
      ...['requested', 'decided denied person'],
      'decided approved session',
      ...['requested', 'decided approved person'],
    ]);
  });

  it('is a command that a person allows for the rest of the session, exactly as it is', async () => {
    const told: number[] = [];
    bench.grants.onDidChange(({ grants }) => told.push(grants.allowedCommands.length));
    bench.double.script.push(call('echo $((1+1))'), call('echo $((1+1))'), call('echo $((1+2))'), 'Done');
    const sessionId = await bench.send('count');
    const first = await bench.question(sessionId);
    assert.equal(first.data.canAllowAlways, true);
    await bench.controller.decideApproval(sessionId, first.data.approvalId, true, { isAlways: true });
    const second = await bench.question(sessionId);
    assert.equal(second.data.command, 'echo $((1+2))');
    await bench.controller.decideApproval(sessionId, second.data.approvalId, true);
    await bench.over(sessionId);
    assert.deepEqual(approvals(sessionId), [
      ...['requested', 'decided approved person true'],
      'decided approved session',
      ...['requested', 'decided approved person'],
    ]);
    assert.deepEqual((await bench.grants.of(sessionId)).allowedCommands, [{ command: 'echo $((1+1))', cwd: '.' }]);
    await bench.grants.change(sessionId, { forgetCommands: true });
    assert.deepEqual([(await bench.grants.of(sessionId)).allowedCommands, told], [[], [1, 0]]);
    await bench.seen(sessionId);
  });

  it('is no command that is critical, whatever the view says', async () => {
    bench.double.script.push(call('sudo -n true'), 'Done');
    const sessionId = await bench.send('become root');
    const { approvalId, canAllowAlways } = (await bench.question(sessionId)).data;
    assert.equal(canAllowAlways, false);
    bench.double.script.push('Done');
    await bench.controller.decideApproval(sessionId, approvalId, true, { isAlways: true });
    await bench.over(sessionId);
    assert.deepEqual((await bench.grants.of(sessionId)).allowedCommands, []);
  });

  it('is a pattern of files, for this session alone', async () => {
    const write = (path: string) => [{ call: { name: 'create_file', arguments: { path, content: 'x' } } }];
    const files = [
      { pattern: '.env.*', isFree: true },
      { pattern: 'notes.txt', isFree: false },
    ];
    bench.double.script.push(write('.env.local'), write('notes.txt'), 'Done');
    const grants = { commands: false, sensitiveEdits: false, files };
    const { sessionId } = await bench.controller.send({ sessionId: null, text: 'go', mode: 'agent', model: 'worker', grants });
    const asked = (await bench.question(sessionId)).data;
    assert.deepEqual([asked.path, asked.reasons], ['notes.txt', ['is in the list of sensitive files']]);
    await bench.controller.decideApproval(sessionId, asked.approvalId, true);
    await bench.over(sessionId);
    assert.deepEqual((await bench.grants.of(sessionId)).files, files);

    const other = await bench.send('go', { sessionId: null });
    await bench.over(other);
    assert.deepEqual((await bench.grants.of(other)).files, []);

    await bench.grants.change(sessionId, { files: [] });
    assert.equal((await bench.database.sessions.get(sessionId))?.sensitive_file_patterns, null);
    await bench.database.sessions.update(sessionId, { sensitive_file_patterns: '{"a":1}' });
    assert.deepEqual((await bench.grants.of(sessionId)).files, []);
  });

  it('is the sandbox with its hosts, which go when it is turned off', async () => {
    bench.double.script.push('Hello');
    const grants = { commands: false, sandbox: true, sensitiveEdits: false };
    const { sessionId } = await bench.controller.send({ sessionId: null, text: 'hi', mode: 'agent', model: 'worker', grants });
    await bench.over(sessionId);
    const granted = async () => {
      const { sandbox, hosts } = await bench.grants.of(sessionId);
      return [sandbox, ...hosts];
    };
    assert.deepEqual(await granted(), [true]);
    await Promise.all(['one.example', 'two.example', 'one.example'].map((host) => bench.grants.allowHost(sessionId, host)));
    assert.deepEqual(await granted(), [true, 'one.example', 'two.example']);
    await bench.grants.change(sessionId, { hosts: ['two.example'] });
    await bench.grants.change(sessionId, { sandbox: true });
    assert.deepEqual(await granted(), [true, 'two.example']);
    await bench.grants.change(sessionId, { sandbox: false });
    await bench.grants.allowHost(sessionId, 'three.example');
    await bench.grants.change(sessionId, { hosts: ['four.example'] });
    assert.deepEqual(await granted(), [false]);
    assert.equal((await bench.database.sessions.get(sessionId))?.sandbox, null);
    await bench.database.sessions.update(sessionId, { sandbox: '{"hosts":[1' });
    assert.deepEqual(await granted(), [true]);
  });

  it('keeps the latest fifty, and nothing that cannot be read', async () => {
    bench.double.script.push('Hello');
    const sessionId = await bench.ask('hi');
    await Promise.all(
      Array.from({ length: 60 }, (_, index) => bench.grants.allow(sessionId, { command: `c${index}`, cwd: '.' })),
    );
    const { allowedCommands } = await bench.grants.of(sessionId);
    assert.deepEqual([allowedCommands.length, allowedCommands[0]?.command, allowedCommands.at(-1)?.command], [50, 'c10', 'c59']);
    for (const broken of ['', 'null', '{', '[1]', '[{"command":1,"cwd":"."}]']) {
      await bench.database.sessions.update(sessionId, { allowed_commands: broken });
      assert.deepEqual((await bench.grants.of(sessionId)).allowedCommands, []);
    }
  });
});
