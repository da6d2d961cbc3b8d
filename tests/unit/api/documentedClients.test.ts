import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { eventSchema } from '../../../src/api/events/eventSchemas';
import { ApiBench } from './support';

const page = readFileSync(path.join(__dirname, '../../../../docs/api.md'), 'utf8');

/** Returns the program on the page that is written in a language. */
function programIn(language: string): string {
  const clients = page.slice(page.indexOf('## Clients'));
  return new RegExp(`\`\`\`${language}\\n([^]*?)\n\`\`\``).exec(clients)?.[1] ?? assert.fail(`no program in ${language}`);
}

describe('the clients in docs/api.md', () => {
  let bench: ApiBench;
  beforeEach(async () => {
    bench = await ApiBench.start();
  });
  afterEach(() => bench.stop());

  /** Runs a program with an answer on its input. Resolves to its output. */
  function run(program: string, args: readonly string[], input: string): Promise<string> {
    const { Authorization = '', 'X-Client-Key': key = '' } = bench.headers();
    const access = { OLLAMA_COPILOT_URL: bench.server.url, OLLAMA_COPILOT_TOKEN: Authorization.replace('Bearer ', '') };
    const env = { ...process.env, ...access, OLLAMA_COPILOT_CLIENT_KEY: key };
    const child = spawn(program, args, { env });
    let output = '';
    for (const stream of [child.stdout, child.stderr])
      stream.on('data', (text) => {
        output += String(text);
        if (output.includes('[y/N]')) child.stdin.end(input);
      });
    return new Promise((resolve, reject) => child.on('error', reject).on('close', () => resolve(output)));
  }

  const touch = '<tool_call>{"name": "run_terminal_command", "arguments": {"command": "touch made.txt"}}</tool_call>';

  if (process.platform !== 'win32') {
    for (const [language, program, args] of [
      ['python', 'python3', ['-c']],
      ['js', process.execPath, ['--input-type=module', '-e']],
    ] as const)
      it(`print the answer and ask for approval, in ${language}`, async () => {
        bench.agent.double.script.push(touch, 'Hello there. [TASK_COMPLETE]');
        const output = await run(program, [...args, programIn(language)], 'y\n');
        assert.match(output, /Allow touch made\.txt\? \[y\/N\] [^]*Hello there\.[^]*\ndone\n$/);
        assert.equal(existsSync(bench.agent.file('made.txt')), true);
      });

    it('print the answer, in the shell', async () => {
      bench.agent.double.script.push('Hello there.');
      assert.match(await run('sh', ['-c', programIn('sh')], ''), /## Assistant[^]*Hello there\./);
    });
  }

  it('have at most 30 lines, and events with an example each', () => {
    for (const language of ['python', 'js', 'sh']) assert.ok(programIn(language).split('\n').length <= 30, language);
    const types = /^Types: ([^]*?)\.$/m.exec(page)?.[1]?.match(/\w+/g) ?? [];
    assert.equal(types.length, 15);
    const examples = (/```json\n(\{"type":"user"[^]*?)\n```/.exec(page)?.[1] ?? '')
      .split('\n')
      .map((row) => JSON.parse(row) as unknown);
    assert.deepEqual(new Set(examples.map((example) => eventSchema.parse(example).type)), new Set(types));
  });
});
