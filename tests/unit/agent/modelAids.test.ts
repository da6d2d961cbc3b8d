import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import type { ModelAids } from '../../../src/agent/kernel/modelAids';
import type { Scripted } from '../../support/ollama/doubleReply';
import { AgentBench } from './support/agentBench';

const call = (name: string, args: Record<string, unknown>): Scripted => [{ call: { name, arguments: args } }];
const again = (times: number, one: Scripted): Scripted[] => Array.from({ length: times }, () => one);
const read = call('read_file', { path: 'a.ts' });
const edit = (oldText: string): Scripted => call('replace_in_file', { path: 'a.ts', oldText, newText: 'b' });
const claim = 'I have created notes/b.txt for you.';
const row = 'read_file a.ts [done] 2 lines';

/** Rows that the user sees after `you: …` with one aid off, and the last call's result for the model. */
const cases: { aid: keyof ModelAids; script: Scripted[]; seen: string[]; result?: string }[] = [
  {
    aid: 'printedCalls',
    script: ['<tool_call>{"name": "read_file", "arguments": {"path": "a.ts"}}</tool_call>'],
    seen: ['text (complete): <tool_call>{"name": "read_file", "arguments": {"path": "a.ts"}}</tool_call>', '= done'],
  },
  {
    aid: 'healing',
    script: [edit('say(“hi”);'), 'Good.'],
    seen: ['replace_in_file a.ts [failed] The text to replace was not found in a.ts.', 'text (complete): Good.', '= done'],
    result:
      'oldText was not found in a.ts. Nothing was changed. The nearest lines, with their numbers:\n1: say("hi");\n2: list();\n3: \nCopy oldText from the file as it is, without the numbers.',
  },
  {
    aid: 'callRepair',
    script: [call('read_file', {}), 'Good.'],
    seen: ['read_file {} [failed] invalid arguments', 'text (complete): Good.', '= done'],
  },
  {
    aid: 'nearestLines',
    script: [edit('say("hello");'), edit('say("hello");'), 'Good.'],
    seen: [
      'replace_in_file a.ts [failed] The text to replace was not found in a.ts.',
      'replace_in_file a.ts [failed] The text to replace was not found in a.ts.',
      'text (complete): Good.',
      '= done',
    ],
    result: 'oldText was not found in a.ts. Nothing was changed. Nothing in it is like it: read the file again.',
  },
  {
    aid: 'loopGuard',
    script: [...again(7, read), 'Good.'],
    seen: [...Array.from({ length: 7 }, () => row), 'text (complete): Good.', '= done'],
  },
  { aid: 'claimChallenge', script: [claim], seen: [`text (complete): ${claim}`, '= done'] },
];

describe('the help for weak models', () => {
  let bench: AgentBench;
  afterEach(() => bench.stop());

  for (const { aid, script, seen, result } of cases) {
    const play = async (isOn: boolean): Promise<[string[], string | undefined]> => {
      bench = await AgentBench.start({ aids: { [aid]: isOn } });
      await writeFile(bench.file('a.ts'), 'say("hi");\nlist();\n');
      bench.double.onRepair(() => JSON.stringify({ name: 'read_file', arguments: { path: 'a.ts' } }));
      bench.double.script.push(...script);
      const sessionId = await bench.ask('Go');
      const lines = (await bench.seen(sessionId)).filter((line) => !/^(?:you|notice)\b/.test(line));
      const messages = bench.chats().at(-1)?.['messages'] as { role: string; content: string }[];
      return [lines, messages.findLast(({ role }) => role === 'tool')?.content];
    };

    it(`${aid} can be left out alone`, async () => {
      const [lines, told] = await play(false);
      assert.deepEqual(lines, seen);
      if (result !== undefined) assert.equal(told, result);
      await bench.stop();
      const [withAid, otherwise] = await play(true);
      assert.notDeepEqual([withAid, otherwise], [lines, told]);
    });
  }
});
