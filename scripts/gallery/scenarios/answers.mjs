import { LogBuilder } from '../entries.mjs';
import { answer, hostile, longCode, odd, thought, world } from '../texts.mjs';
import { now, running, session } from './base.mjs';

export const answersScenarios = {
  answer: {
    ...session(new LogBuilder().user('What is missing in the signup form?', 'ask').thought(thought, 6).answer(answer).done(), {}),
  },
  'answer-formulas': {
    ...session(
      new LogBuilder()
        .user('How does the cost grow, from $5 to $10?', 'ask')
        .answer(
          'The mean is $\\bar{x} = \\frac{1}{n}\\sum_{i=1}^{n} x_i$, computed in `meanOf()`; a month costs $5, then $10.\n\n' +
            '$$\n\\sigma = \\sqrt{\\frac{1}{n}\\sum_{i=1}^{n} (x_i - \\bar{x})^2} \\qquad A = \\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}\n$$\n\n' +
            'This one has a fault, so its source is shown: $\\frac{1$. In $O(n \\log n)$ steps it ends.',
        )
        .done(),
      {},
    ),
    do: ['settle'],
  },
  'answer-top': {
    ...session(new LogBuilder().user('What is missing in the signup form?', 'ask').thought(thought, 6).answer(answer).done(), {}),
    do: ['click Thought for 6s', 'top'],
  },
  odd: {
    ...session(
      new LogBuilder()
        .user(`${'A long word: '.repeat(3)}${'x'.repeat(300)}\n\nשלום עולם`, 'ask')
        .answer(odd)
        .done(),
      {},
    ),
    do: ['top'],
  },
  'odd-end': session(new LogBuilder().user('Show me the pairs', 'ask').answer(odd).done(), {}),
  'code-open': session(
    new LogBuilder()
      .user('Show me the pairs', 'ask')
      .answer(`Here they are:\n\n\`\`\`js\nconst pairs = [\n${longCode}\n];\n\`\`\``, true),
    running({ kind: 'answering', since: now }),
  ),
  'code-folded': {
    ...session(
      new LogBuilder()
        .user('Show me the pairs', 'ask')
        .answer(`Here they are:\n\n\`\`\`js\n${longCode}\n\`\`\`\n\nThat is all.`)
        .done(),
      {},
    ),
  },
  world: {
    ...session(new LogBuilder().user('このフォームを検証して、结果を説明してください 👍', 'ask').answer(world).done(), {}, {}),
    do: ['top'],
  },
  'world-end': session(new LogBuilder().user('اشرح لي هذه الدالة من فضلك', 'ask').answer(world).done(), {}),
  hostile: {
    ...session(
      new LogBuilder()
        .user(hostile, 'ask')
        .answer(hostile)
        .call('c1', 'run_terminal_command', { command: 'echo \u202e"moc.elpmaxe//:sptth"' })
        .result('c1', 'run_terminal_command', hostile, { display: hostile, details: { exitCode: 0 } })
        .done(),
      {},
    ),
  },
};
