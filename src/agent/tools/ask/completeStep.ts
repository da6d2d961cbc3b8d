import { z } from 'zod';
import { translatable } from '../../../types/texts';
import { planTodos } from '../../../protocol/plan';
import { t } from '../../../utils/l10n';
import { failure } from '../kernel/toolFailure';
import { defineTool, type Tool } from '../kernel/tool';

const schema = z.object({ step: z.number().int().describe('Number of the step in the plan') });

/** Marks a step of the current plan as complete. */
export function completeStepTool(): Tool {
  return defineTool({
    name: 'complete_step',
    description: 'Tick off a step of the plan. Call it as soon as the step is carried out, before you begin with the next one.',
    schema,
    aliases: { number: 'step', stepNumber: 'step', index: 'step', id: 'step' },
    when: 'plan',
    effect: 'none',
    row: {
      family: 'other',
      titles: translatable({
        done: 'Completed step {0}',
        running: 'Completing step {0}',
        planned: 'Complete step {0}',
        failed: 'Could not complete step {0}',
        stopped: 'Did not complete step {0}',
      }),
    },
    label: ({ step }) => String(step),
    run: async ({ step }, { plan }) => {
      const progress = plan();
      const item = progress?.items[step - 1];
      if (progress === null || item === undefined) {
        const count = progress?.items.length ?? 0;
        const english = `There is no step ${step}: the plan has ${count} steps.`;
        return Promise.resolve(failure({ local: t('The plan has no step {0}.', String(step)), english }));
      }
      const after = { ...progress, done: new Set([...progress.done, item.id]) };
      const next = after.items.findIndex(({ id }) => !after.done.has(id));
      const content =
        next === -1
          ? 'All steps are done.'
          : `Step ${step} is done. Go on with step ${next + 1}: ${after.items[next]?.text ?? ''}`;
      const summary = t('{0} of {1} done', after.done.size, after.items.length);
      return Promise.resolve({ status: 'success', content, summary, todos: planTodos(after), doneStep: item.id });
    },
  });
}
