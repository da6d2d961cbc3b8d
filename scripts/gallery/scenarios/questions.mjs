import { LogBuilder } from '../entries.mjs';
import { answer } from '../texts.mjs';
import { ask, now, running, session } from './base.mjs';
import { asking, askingForm, field, planned } from './tasks.mjs';

const queued = [
  { mode: 'agent', id: 'q1', text: 'Then write a test for every rule', attachments: [] },
  {
    mode: 'agent',
    id: 'q2',
    text: 'And say in the README which characters a name may have, how long it may be, and why',
    attachments: [],
  },
];

export const questionsScenarios = {
  queued: {
    ...session(new LogBuilder().user(ask).answer(answer.slice(0, 330), true), running({ kind: 'answering', since: now }), {
      queued,
      state: { drafts: { s1: 'A third one' } },
    }),
  },
  question: {
    ...session(asking(), running({ kind: 'waitingForApproval', since: now })),
  },
  'question-form': {
    ...session(
      askingForm(new LogBuilder(), {
        fields: [
          {
            ...field('region', 'Region', 'choice'),
            options: ['eu', 'us'].map((value) => ({ value, title: value.toUpperCase() })),
          },
          { ...field('count', 'Machines', 'integer'), description: 'At most 8.', most: 8, initial: 2 },
          { ...field('note', 'Note', 'text'), isRequired: false },
          { ...field('dry', 'Only try it', 'boolean'), initial: true },
        ],
      }),
      running({ kind: 'tool', name: 'cloud__deploy', since: now }),
    ),
    do: ['click Send answers'],
  },
  'question-settled': {
    ...session(
      asking()
        .add('question', 'Beside each field', { questionId: 'q1', callId: 'c1', phase: 'settled', outcome: 'answered' })
        .result('c1', 'ask_user', 'The user answered: Beside each field', { summary: 'answered' })
        .answer('Beside each field, then.')
        .call('c2', 'ask_user', { question: 'Shall I write tests too?' })
        .add('question', 'Shall I write tests too?', { questionId: 'q2', callId: 'c2', phase: 'asked', options: [] })
        .done('interrupted'),
      {},
    ),
  },
  todos: {
    ...session(planned().answer('Now the tests.', true), running({ kind: 'answering', since: now }), {
      background: [{ id: 'terminal-1a2b', command: 'npm run dev' }],
    }),
  },
  'todos-open': {
    ...session(planned().answer('Now the tests.').done(), {}),
    do: ['click 2 of 5 done Write a test for every rule of the signup form, and one for what they have in common'],
  },
  'queued-held': {
    ...session(new LogBuilder().user(ask).answer('I would begin with the').done('stopped'), {}, { queued }),
  },
};
