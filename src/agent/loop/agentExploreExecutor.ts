import type { EntryOf } from '../../protocol/entries';
import { subagentSession } from '../../types/modelExchange';
import { phrase } from '../../utils/l10n';
import type { Clock } from '../../utils/clock';
import { AgentError } from '../kernel/agentError';
import { MemoryLog } from '../kernel/memoryLog';
import type { ModelSource, SessionStore } from '../kernel/ports';
import type { Run } from '../kernel/run';
import type { Exploration, Explorer, ExploredStep } from '../tools/ask/runSubagent';
import type { ModelRequester } from './modelRequester';
import { AgentChatExecutor, type ExecutorHost, type ExecutorTools } from './agentChatExecutor';
import { RunQueue } from './runQueue';
import { cutHead } from '../../types/cutText';

interface ExploreHost extends Omit<ExecutorHost, 'queued'> {
  clock: Clock;
  sessions: Pick<SessionStore, 'get'>;
}

/**
 * Runs an exploration task as a subagent with its own model and context window, and with reading
 * tools only. Reports each step and, at the end, the findings. The conversation is not stored.
 */
export class AgentExploreExecutor implements Explorer {
  private readonly queue: RunQueue;

  constructor(
    private readonly models: ModelSource,
    private readonly requester: ModelRequester,
    private readonly tools: ExecutorTools,
    private readonly host: ExploreHost,
  ) {
    this.queue = new RunQueue(() => host.settings.getAgentConfig().maxSubagents);
  }

  /**
   * Resolves with the report. Rejects with `CancelledError` when the signal
   * is aborted, and with `capability` if the model does not support tools.
   */
  async explore({ task, sessionId, model, signal }: Exploration, onStep: (step: ExploredStep) => Promise<void>): Promise<string> {
    const leave = await this.queue.enter(sessionId, () => undefined, signal);
    try {
      const explorer = await this.findExplorer(sessionId, model);
      const log = new MemoryLog(async (entry) => {
        if (entry.type === 'tool_result') await onStep(toExploredStep(entry, log));
      });
      const id = subagentSession(sessionId);
      await log.append(id, { type: 'user_input', content: `${task}\n\n${howToReport}`, data: { mode: 'ask', attachments: [] } });
      const run: Run = {
        sessionId: id,
        mode: 'ask',
        model: explorer,
        signal,
        use: () => undefined,
        report: () => undefined,
        setWaiting: () => Promise.resolve(),
      };
      const executor = new AgentChatExecutor(log, this.models, this.requester, this.tools, this.host);
      const { outcome } = await executor.run(run);
      return writeReport(log, outcome);
    } finally {
      leave();
    }
  }

  /** Returns the explorer model of the session, otherwise the one in the settings, otherwise the model of the chat. */
  private async findExplorer(sessionId: string, asking: string | null): Promise<string | null> {
    const { explorerModel } = this.host.settings.getAgentConfig();
    const own = (await this.host.sessions.get(sessionId))?.explorer_model ?? null;
    const name = own ?? (explorerModel === '' ? asking : explorerModel);
    if (name === null || (await this.models.get(name)).capabilities.tools) return name;
    const words = phrase(
      '{0} cannot use tools, so it cannot explore the code. Choose another model in the setting “Model for subagents”.',
      name,
    );
    throw new AgentError('capability', words);
  }
}

const howToReport =
  'Find this out with your tools. Then write a report for another agent that sees nothing else of your work: ' +
  'what you found, with files and line numbers, and what you could not find. Be short.';
/** Maximum length of a report in characters. */
const maxReport = 12_000;

function toExploredStep({ data }: EntryOf<'tool_result'>, log: MemoryLog): ExploredStep {
  const call = log.entries.find((entry) => entry.type === 'tool_call' && entry.data.callId === data.callId);
  const { name, status, summary } = data;
  const asked = call?.type === 'tool_call' ? call.data : undefined;
  return {
    name,
    status,
    input: asked?.input ?? {},
    ...(summary !== undefined && { summary }),
    ...(asked?.label !== undefined && { label: asked.label }),
    ...(asked?.facts && { facts: asked.facts }),
  };
}

function writeReport(log: MemoryLog, outcome: 'done' | 'limit' | 'failed'): string {
  const text =
    log.entries.findLast((entry) => entry.type === 'assistant_output' && entry.data.isThinking !== true)?.content ?? '';
  const failure = log.entries.findLast(({ type }) => type === 'error')?.content;
  const report = text.length > maxReport ? `${cutHead(text, maxReport)}…` : text;
  if (outcome === 'failed') return `The exploration failed: ${failure ?? 'no reason is known'}\n\n${report}`.trim();
  return outcome === 'limit' ? `The exploration was stopped before its end. Its last words:\n\n${report}` : report;
}
