import { z } from 'zod';
import type { EntryData } from '../../../protocol/entries';
import { translatable } from '../../../types/texts';
import { phrase } from '../../../utils/l10n';
import { failure } from '../kernel/toolFailure';
import { defineTool, type Tool } from '../kernel/tool';

const schema = z.object({
  task: z
    .string()
    .min(1)
    .describe('What is to be found out, in words that stand by themselves: it sees nothing of this conversation'),
});

export type ExploredStep = Omit<EntryData<'subagent_step'>, 'callId'>;

export interface Exploration {
  task: string;
  sessionId: string;
  model: string | null;
  signal: AbortSignal;
}

export interface Explorer {
  /** Resolves with the report. Calls `onStep` after each complete step. */
  explore(exploration: Exploration, onStep: (step: ExploredStep) => Promise<void>): Promise<string>;
}

/** Runs a subagent that explores the workspace. The conversation contains only its report. */
export function runSubagentTool(explorer: Explorer): Tool {
  return defineTool({
    name: 'run_subagent',
    description:
      'Have another agent look into something that takes many reads or searches. It only reads, has a context window of its own, and answers with a report.',
    schema,
    aliases: { prompt: 'task', question: 'task', description: 'task', query: 'task', instructions: 'task' },
    isTimed: false,
    isParallel: true,
    isOptional: true,
    effect: 'none',
    row: {
      family: 'other',
      titles: translatable({
        done: 'Explored: {0}',
        running: 'Exploring: {0}',
        planned: 'Explore: {0}',
        failed: 'Could not explore: {0}',
        stopped: 'Did not explore: {0}',
      }),
    },
    label: ({ task }) => task,
    run: async ({ task }, { sessionId, model, signal, recordStep }) => {
      const report = await explorer.explore({ task, sessionId, model, signal }, recordStep);
      return report.trim() === ''
        ? failure(phrase('The exploration ended without a report.'))
        : { status: 'success', content: report };
    },
  });
}
