import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { runProgram } from '../../../../src/services/terminal/run/childProcessRunner';
import { places, runSeed } from '../../../support/rounds';
import { harmfulCommands } from '../support/harmfulCommands';
import { makeArena, planted, type Arena } from './support/escapes/arena';
import { eventually } from '../../../support/until';

/** Time limit of a command, in milliseconds. Some commands wait forever. */
const limitMs = 3_000;
const lanes = 3;

// bubblewrap exists on Linux only.
if (process.platform === 'linux') {
  const seed = runSeed();

  describe(`Harmful commands in the sandbox, from ${seed}`, () => {
    let arena: Arena;
    before(async () => {
      arena = await makeArena();
      arena.remember();
    });
    after(() => arena.dispose());

    it('change nothing outside, connect to nothing, show no secret and leave no process', async function () {
      this.timeout(3_600_000);
      const below = await harmfulCommands(arena.root);
      assert.ok(below.length > 1_500, `${below.length} commands`);
      const queue = places(below.length, 60, seed).flatMap((place) => below[place - 1] ?? []);
      const told: string[] = [];
      const work = async (): Promise<void> => {
        for (let command = queue.shift(); command !== undefined; command = queue.shift())
          if ((await outputOf(arena, command)).includes(planted)) told.push(command);
      };
      await Promise.all(Array.from({ length: lanes }, work));
      assert.deepEqual(told, []);
      assert.deepEqual(arena.damage([]), []);
      // On a busy machine, a sandbox takes a moment to exit.
      await eventually(() => assert.deepEqual(left(arena), []));
    });
  });
}

/** Returns the processes in the sandboxes of an arena. */
function left(arena: Arena): string[] {
  const processes = execFileSync('ps', ['-A', '-o', 'args='], { encoding: 'utf8' }).split('\n');
  return processes.filter((line) => line.includes('bwrap') && line.includes(arena.home));
}

async function outputOf(arena: Arena, command: string): Promise<string> {
  const request = { sessionId: 's', command, cwd: arena.root, hosts: [], signal: new AbortController().signal };
  const wrapped = await arena.sandbox.wrap(request);
  // These commands must never run outside the sandbox.
  assert.ok(wrapped.program.args.some((argument) => argument.endsWith('/bwrap')));
  let output = '';
  const execution = runProgram(wrapped.program, arena.root, (text) => {
    if (output.length < 1e6) output += text;
  });
  const timer = setTimeout(() => void execution.terminate(), limitMs);
  const exitCode = await execution.ended;
  clearTimeout(timer);
  await wrapped.finish({ exitCode, output });
  return output;
}
