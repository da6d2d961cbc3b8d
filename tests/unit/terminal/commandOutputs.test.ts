import assert from 'node:assert/strict';
import { CommandOutputs } from '../../../src/services/terminal/run/commandOutputs';
import { LiveOutput } from '../../../src/services/terminal/run/liveOutput';
import { OutputCollector } from '../../../src/services/terminal/run/outputFormatter';
import { TerminalManager } from '../../../src/services/terminal/run/terminalManager';
import { systemClock } from '../../../src/utils/clock';
import { silentLogger } from '../../../src/utils/logger';
import { until } from '../../support/until';
import { ManualClock } from '../database/support/manualClock';

/** Fails if a command continues in the background. */
const nothing = { adopt: () => assert.fail() };

describe('the output of running commands', () => {
  it('is kept by session and call until the command ends', () => {
    const outputs = new CommandOutputs(silentLogger);
    const changed: string[] = [];
    outputs.onDidChange(({ sessionId }) => changed.push(sessionId));
    outputs.set('s1', 'c1', 'one');
    outputs.set('s1', 'c2', 'two');
    outputs.set('s2', 'c3', 'three');
    outputs.set('s1', 'c1', 'one\nmore');
    assert.deepEqual(outputs.of('s1'), [
      { callId: 'c1', output: 'one\nmore' },
      { callId: 'c2', output: 'two' },
    ]);
    outputs.end('s1', 'c1');
    outputs.end('s1', 'c1');
    outputs.end('s1', 'c2');
    assert.deepEqual([outputs.of('s1'), outputs.of('s2').length], [[], 1]);
    assert.deepEqual(changed, ['s1', 's1', 's2', 's1', 's1', 's1']);
  });

  it('has a note in front of it while the command is prepared', () => {
    const outputs = new CommandOutputs(silentLogger);
    outputs.note('s', 'c', 'Copying…');
    assert.deepEqual(outputs.listTails('s'), [{ callId: 'c', output: '', note: 'Copying…' }]);
    outputs.note('s', 'c', null);
    assert.deepEqual(outputs.of('s'), []);
    outputs.note('s', 'c', 'Copying…');
    outputs.set('s', 'c', 'printed');
    assert.deepEqual(outputs.of('s'), [{ callId: 'c', output: 'printed' }]);
  });

  it('is bounded for a view: the last lines, and of a long line its end', () => {
    const outputs = new CommandOutputs(silentLogger);
    const lines = Array.from({ length: 100 }, (_, index) => `line ${index}`);
    outputs.set('s', 'c', lines.join('\n'));
    assert.equal(outputs.listTails('s')[0]?.output, lines.slice(-20).join('\n'));
    outputs.set('s', 'c', `${'x'.repeat(9000)}end`);
    const tail = outputs.listTails('s')[0]?.output ?? '';
    assert.deepEqual([tail.length, tail.startsWith('…x'), tail.endsWith('xend')], [4001, true, true]);
    outputs.set('s', 'c', '😀'.repeat(3000) + 'e');
    assert.equal(outputs.listTails('s')[0]?.output.isWellFormed(), true);
  });

  it('is reported at most four times a second, as the whole text, and not after the end', async () => {
    const clock = new ManualClock();
    const collector = new OutputCollector();
    const reports: string[] = [];
    const live = new LiveOutput(collector, clock, (text) => reports.push(text));
    // This loop takes one second.
    for (let index = 0; index < 50; index += 1) {
      collector.push(`${index}\n`);
      live.note();
      await clock.advance(20);
    }
    assert.equal(reports.length, 3);
    assert.match(reports.at(-1) ?? '', /^0\n1\n/);
    collector.push('late\n');
    live.note();
    live.end();
    await clock.advance(1000);
    assert.equal(reports.length, 3);
  });

  it('comes from a command while it runs, without control sequences and keys, and is gone at its end', async () => {
    const outputs = new CommandOutputs(silentLogger);
    const manager = new TerminalManager(undefined, systemClock, silentLogger, { outputs, background: nothing });
    const key = 'ghp_' + 'a1B2'.repeat(9);
    const seen: string[] = [];
    const stop = new AbortController();
    outputs.onDidChange(() => seen.push(outputs.of('s')[0]?.output ?? '(none)'));
    const command = `printf 'first\\n\\033[31mtoken=${key}\\033[0m\\n'; sleep 60`;
    const running = manager.run({ sessionId: 's', callId: 'c', command, cwd: '/', signal: stop.signal });
    await until(() => seen.length > 1);
    assert.deepEqual(seen, ['(none)', 'first\ntoken=[key left out]']);
    stop.abort();
    assert.equal((await running).status, 'cancelled');
    assert.deepEqual([seen.at(-1), outputs.of('s')], ['(none)', []]);
  });

  it('has the start of a command that has printed nothing, for a view', () => {
    const outputs = new CommandOutputs(silentLogger);
    outputs.begin('s', 'c', 5, { stop: () => undefined, continueInBackground: () => undefined });
    assert.deepEqual([outputs.of('s'), outputs.listTails('s')], [[], [{ callId: 'c', output: '', startedAt: 5 }]]);
    outputs.set('s', 'c', 'printed');
    assert.deepEqual(outputs.listTails('s'), [{ callId: 'c', output: 'printed', startedAt: 5 }]);
  });

  it('belongs to a command that can be stopped alone: the others and the run go on', async () => {
    const outputs = new CommandOutputs(silentLogger);
    const manager = new TerminalManager(undefined, systemClock, silentLogger, { outputs, background: nothing });
    const run = new AbortController();
    const start = (callId: string, command: string) =>
      manager.run({ sessionId: 's', callId, command, cwd: '/', signal: run.signal });
    const one = start('c1', 'echo begun; sleep 60');
    const other = start('c2', 'echo begun; sleep 60');
    await until(() => outputs.of('s').length === 2);
    outputs.stop('s', 'c1');
    const { status, output } = await one;
    assert.deepEqual([status, output, run.signal.aborted], ['cancelled', 'begun', false]);
    assert.deepEqual(
      outputs.of('s').map(({ callId }) => callId),
      ['c2'],
    );
    outputs.stop('s', 'c1');
    outputs.stop('s', 'c2');
    assert.equal((await other).status, 'cancelled');
  });
});
