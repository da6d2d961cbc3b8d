import type { Entry } from '../../protocol/entries';
import { isCloudModel } from '../../types/model';
import { CancelledError } from '../../utils/errors';
import { phrase } from '../../utils/l10n';
import { AgentError } from '../kernel/agentError';
import { cloudAgreedCode, cloudNotice } from '../kernel/notices';
import type { Run } from '../kernel/run';
import type { RunLog } from '../kernel/runLog';

/** Asks a person whether a conversation may go to Ollama's own servers. */
export type AskForCloud = (model: string) => Promise<boolean>;

/**
 * Resolves when a person has agreed, now or earlier in this session, that it goes to the servers which run the model; at once for a
 * model of one's own server. What was agreed to stands in the log. Rejects with `cloudDeclined`.
 */
export async function assertConsent(model: string, run: Run, log: RunLog, ask: AskForCloud): Promise<void> {
  if (!isCloudModel(model) || hasAgreed(model, log.entries)) return;
  await run.setWaiting(true);
  const isAgreed = await unlessStopped(ask(model), run.signal);
  await run.setWaiting(false);
  if (!isAgreed) {
    const words = phrase(
      'Nothing was sent: {0} runs on Ollama’s servers, not on your machine. Choose another model, or try again to be asked again.',
      model,
    );
    throw new AgentError('cloudDeclined', words);
  }
  await log.append(cloudNotice(model));
}

/** Tells whether a person has agreed in a session that it goes to the servers which run the model. */
export function hasAgreed(model: string, log: readonly Entry[]): boolean {
  return log.some((entry) => entry.type === 'system_message' && entry.data.code === cloudAgreedCode && entry.model === model);
}

/** Rejects when the run is stopped. A dialog cannot be taken back: an answer after the run has ended does not matter. */
function unlessStopped(answer: Promise<boolean>, signal: AbortSignal): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const stop = () => reject(new CancelledError());
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    answer.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}
