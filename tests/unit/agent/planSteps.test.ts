import assert from 'node:assert/strict';
import { planSteps } from '../../../src/agent/prompt/planSteps';

const cases: [title: string, answer: string, steps: string[]][] = [
  ['a numbered list', '## Plan\n1. Read a.ts\n2. Change it', ['Read a.ts', 'Change it']],
  [
    'a list whose steps have details',
    'Plan:\n\n1. **Parser** first\n   - in `a.ts`\n\n2. Tests\n',
    ['Parser first\n- in `a.ts`', 'Tests'],
  ],
  ['headings', '# The plan\n\n### Step 1: Parser\nIn a.ts\n\n### Step 2: Tests\nIn b.ts', ['Parser\nIn a.ts', 'Tests\nIn b.ts']],
  ['bold numbers', '**Plan**\n**1.** One\n**2.** Two', ['One', 'Two']],
  ['numbers that are all 1', '## Plan\n1. One\n1. Two', ['One', 'Two']],
  ['the last of two lists', '1. Found this\n2. And that\n\n## Plan\n1. Do it\n2. Test it', ['Do it', 'Test it']],
  [
    'code with numbers in a step',
    '## Plan\n1. Write\n```\n1. not a step\n```\n2. Run',
    ['Write\n```\n1. not a step\n```', 'Run'],
  ],
  ['German', '## Der Plan\n1. Lesen\n2. Ändern', ['Lesen', 'Ändern']],
  ['one step under a title', '## Plan\n1. Rename it', ['Rename it']],
  ['a question with choices is none', 'Which one?\n1. This\n2. That\n\nWhich do you want?', []],
  ['a text without a list is none', 'It is all done already.', []],
  ['words after the list are not part of it', '## Plan\n1. One\n2. Two\n\nSay when to start.', ['One', 'Two']],
];

describe('the steps of a plan', () => {
  for (const [title, answer, steps] of cases) {
    it(`are read: ${title}`, () => assert.deepEqual(planSteps(answer), steps));
  }
});
