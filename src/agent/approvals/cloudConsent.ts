import type { Entry } from '../../protocol/entries';
import { isCloudModel } from '../../types/model';
import { CancelledError } from '../../utils/errors';
import { phrase } from '../../utils/l10n';
import { AgentError } from '../kernel/agentError';
import { cloudAgreedCode, cloudNotice } from '../kernel/notices';
import type { Run } from '../kernel/run';
import type { RunLog } from '../kernel/runLog';

/** Asks the user whether a conversation may be sent to Ollama's cloud servers. */
export type AskForCloud = (model: string) => Promise<boolean>;

/**
 * Resolves when the user agrees to send the conversation to a cloud model. Resolves immediately for a local
 * model, or if the user already agreed in this session. Logs the consent. Rejects with `cloudDeclined`.
 */
export async function assertConsent(model: string, run: Run, log: RunLog, ask: AskForCloud): Promise<void> {
  if (!isCloudModel(model) || hasAgreed(model, log.entries)) return;
  await run.setWaiting(true);
  const isAgreed = await unlessStopped(ask(model), run.signal);
  await run.setWaiting(false);
  if (!isAgreed) {
    const words = phrase(
      'Nothing was sent. {0} runs on Ollama’s servers, not on your computer. Choose another model, or try again and allow it.',
      model,
    );
    throw new AgentError('cloudDeclined', words);
  }
  await log.append(cloudNotice(model));
}

export function hasAgreed(model: string, log: readonly Entry[]): boolean {
  return log.some((entry) => entry.type === 'system_message' && entry.data.code === cloudAgreedCode && entry.model === model);
}

/** Rejects when the run is stopped. The dialog stays open, but its later answer is ignored. */
function unlessStopped(answer: Promise<boolean>, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new CancelledError());
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
