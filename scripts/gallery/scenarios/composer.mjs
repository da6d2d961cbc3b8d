import { LogBuilder } from '../entries.mjs';
import { picture } from '../texts.mjs';
import { cloudModel, imageItem, models, ready, scenario, session } from './base.mjs';
import { ran } from './tasks.mjs';

const workspaceAgents = [
  {
    name: 'Reviewer',
    description: 'Looks for faults and names their lines',
    shown: '.github/agents/reviewer.agent.md',
    model: null,
    handoffs: [
      { label: 'Mend what was found', agent: 'agent', prompt: 'Mend what you have found.', isSent: true },
      { label: 'Write tests for it', agent: 'Tester', prompt: 'Write a test for each.', isSent: false },
    ],
  },
  { name: 'Tester', description: '', shown: '.github/agents/tester.agent.md', model: null, handoffs: [] },
];

export const composerScenarios = {
  'picker-cloud': {
    ...scenario({
      ready: {
        ...ready,
        models: { ...models, models: [cloudModel, ...models.models], selected: { agent: cloudModel.name, ask: cloudModel.name } },
      },
    }),
    do: ['click Model: gpt-oss:120b-cloud'],
  },
  mentions: {
    ...session(ran().answer('One test fails: the password rule is not called yet.').done(), {}),
    do: ['suggest', 'write Explain #'],
  },
  'thinking-levels': {
    ...scenario({
      ready: {
        ...ready,
        models: {
          ...ready.models,
          models: ready.models.models.map((one) =>
            one.name === 'qwen3:14b'
              ? { ...one, thinking: { values: ['low', 'medium', 'high'], default: 'medium', chosen: 'high' } }
              : one,
          ),
        },
      },
    }),
    do: ['click Thinking: high'],
  },
  'no-tools': {
    ...session(
      new LogBuilder().user('Hello', 'agent').answer('Hello. What shall we do?').done(),
      {},
      { ready: { models: { ...models, selected: { agent: 'gemma3:12b', ask: null } } } },
    ),
  },
  'no-tools-ask': scenario({
    ready: { ...ready, mode: 'ask', models: { ...models, selected: { agent: null, ask: 'gemma3:12b' } } },
  }),
  chips: {
    ...session(
      new LogBuilder()
        .user('What does this do?', 'ask', [
          { kind: 'file', path: 'src/signup.ts', content: '' },
          {
            kind: 'selection',
            path: 'packages/website/src/components/forms/validation.ts',
            startLine: 10,
            endLine: 24,
            content: '',
          },
        ])
        .answer('It reads the two fields and sends them.')
        .done(),
      {},
      {
        state: {
          drafts: { s1: 'And what of this?' },
          attachments: {
            s1: [
              { kind: 'file', path: 'src/app.ts' },
              { kind: 'selection', path: 'src/aFileWithAVeryLongNameThatHasNoEndInSight.test.ts', startLine: 10, endLine: 24 },
              { kind: 'file', path: 'README.md' },
            ],
          },
        },
      },
    ),
    do: ['suggest'],
  },
  images: {
    ...session(
      new LogBuilder()
        .user('Why is the button red?', 'ask', [imageItem('form.png'), { kind: 'file', path: 'src/signup.ts', content: '' }])
        .answer('It has the class that errors have.')
        .done(),
      {},
      {
        images: { [imageItem('').image.hash]: picture },
        state: { drafts: { s1: 'And here?' }, attachments: { s1: [imageItem('a-form-with-a-rather-long-name.png')] } },
      },
    ),
    do: ['click Enlarge form.png'],
  },
  'images-not-seen': scenario({
    images: { [imageItem('').image.hash]: picture },
    state: { drafts: { '': 'What is wrong here?' }, attachments: { '': [imageItem('form.png')] } },
  }),
  agents: {
    ...session(
      new LogBuilder()
        .user('Review the form', 'agent', [{ kind: 'agent', path: 'Reviewer' }])
        .answer('Line 12 trusts what is typed.')
        .done(),
      {},
      { agents: workspaceAgents, state: { agent: 'Reviewer' } },
    ),
    do: ['click Mode: Reviewer'],
  },
  'chip-suggested': { ...scenario({}), do: ['suggest'] },
  slash: { ...scenario({}), do: ['write /'] },
  'slash-filtered': { ...scenario({}), do: ['suggest', 'write /d'] },
  'model-picker': { ...scenario({}), do: ['click Model: qwen3:14b'] },
  'mode-picker': { ...scenario({}), do: ['click Mode: Agent'] },
  'long-draft': scenario({
    state: { drafts: { '': Array.from({ length: 14 }, (_, index) => `Line ${index + 1} of what I am writing`).join('\n') } },
  }),
};
