import { LogBuilder } from '../entries.mjs';
import { answer, thought } from '../texts.mjs';
import { ask, connection, contextOf, now, running, scenario, session } from './base.mjs';

export const runningScenarios = {
  loading: session(new LogBuilder().user(ask), running({ kind: 'loading', model: 'qwen3:14b', since: now - 14_000 })),
  waiting: session(new LogBuilder().user(ask), running({ kind: 'behind', model: 'qwen3:14b', since: now - 14_000 })),
  preparing: session(
    new LogBuilder().user(ask).thought(thought, 6).answer(answer.slice(0, 330), true),
    running({ kind: 'preparing', work: 'edit', since: now - 4000 }),
  ),
  silent: session(
    new LogBuilder().user(ask).thought(thought, 6).answer(answer.slice(0, 330), true),
    running({ kind: 'silent', since: now - 140_000 }),
  ),
  context: {
    ...session(new LogBuilder().user(ask).thought(thought, 6).answer(answer).done(), {}),
    context: contextOf(1840, 2100, 3412, 5072, {
      instructions: [
        { shown: 'AGENTS.md', isLeftOut: false, hidden: 0 },
        { shown: '.claude/skills/plan-check/SKILL.md', isLeftOut: false, hidden: 0, problem: 'noDescription' },
        { shown: '.github/agents/reader.agent.md', isLeftOut: false, hidden: 0, problem: 'frontMatter' },
      ],
    }),
    do: ['click Context: 12.4k of 32k tokens'],
  },
  memory: {
    ...session(new LogBuilder().user(ask).thought(thought, 6).answer(answer).done(), {}),
    context: contextOf(1840, 2100, 3412, 5072),
    memory: [
      { kind: 'own', text: 'Tests run with npm test, never with jest', seq: null, isForgotten: false },
      { kind: 'rule', text: 'Never touch the files in vendor/.', seq: 1, isForgotten: false },
      { kind: 'rule', text: 'Please use tabs.', seq: 1, isForgotten: true },
      { kind: 'changed', text: 'src/parser.ts (modified)', seq: 7, isForgotten: false },
    ],
    do: ['click Context: 12.4k of 32k tokens', 'click Memory'],
  },
  'context-full': {
    ...session(new LogBuilder().user(ask).thought(thought, 6).answer(answer).done(), {}),
    context: contextOf(1840, 0, 11_412, 16_072, { isMeasured: false, loaded: { window: 16_384, gpuShare: 0.71 } }),
    do: ['click Context: about 29.3k of 32k tokens'],
  },
  'no-meter': { ...scenario({}), context: null },
  reading: session(
    new LogBuilder().user(ask),
    running({ kind: 'reading', promptTokens: 9300, since: now - 3000, measured: { newTokens: 1240, expectedMs: 6000 } }),
  ),
  'reading-or-call': session(
    new LogBuilder().user(ask),
    running({ kind: 'reading', promptTokens: 9300, since: now - 14_000, orPreparing: 'editOrCall' }),
  ),
  retrying: session(
    new LogBuilder().user(ask),
    running({ kind: 'retrying', attempt: 2, of: 3, until: now + 20_000, reason: 'the server is busy' }),
  ),
  thinking: { ...session(new LogBuilder().user(ask).thought(thought), running({ kind: 'answering', since: now })) },
  streaming: session(
    new LogBuilder().user(ask).thought(thought, 6).answer(answer.slice(0, 330), true),
    running({ kind: 'answering', since: now }),
  ),
  'edit-draft': {
    ...session(
      new LogBuilder().user(ask).answer("I'll write the file."),
      running({
        kind: 'preparing',
        work: 'edit',
        since: now - 4000,
        draft: {
          path: 'packages/website/src/components/forms/validation.ts',
          lines: [
            ' export function submit(text) {',
            '-  if (!check(text)) {',
            '-    return;',
            '+  const problems = validate(text);',
            '+  if (problems.length > 0) {',
            '+    show(problems);',
            '   }',
            '+  se',
          ],
          additions: 4,
          deletions: 2,
        },
      }),
    ),
  },
  'server-gone': session(
    new LogBuilder().user(ask).answer('Hello.').done(),
    {},
    { ready: { connection: { ...connection, state: 'unreachable' } } },
  ),
};
