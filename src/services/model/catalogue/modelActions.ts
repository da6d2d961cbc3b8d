import type { PullState } from '../../../protocol/webviewEvents';
import type { Clock } from '../../../utils/clock';
import type { Disposable } from '../../../utils/disposable';
import { Emitter, type Event } from '../../../utils/emitter';
import { AppError, isCancelled, messageOf } from '../../../utils/errors';
import { t } from '../../../utils/l10n';
import type { Logger } from '../../../utils/logger';
import type { OllamaClient } from '../client/ollamaClient';
import { PullMeter } from './pullMeter';

const progressIntervalMs = 200;

interface Pull {
  state: PullState;
  stopping: AbortController;
  done: Promise<PullState>;
}

class ModelNameError extends AppError {
  readonly code = 'modelName';
}

/** Pulls, deletes and unloads models. A pull continues until it ends or is cancelled, even if no view shows it. */
export class ModelActions implements Disposable {
  private readonly emitter: Emitter<PullState[]>;
  private readonly pulls = new Map<string, Pull>();
  private announcedAt = 0;

  constructor(
    private readonly client: Pick<OllamaClient, 'pull' | 'deleteModel' | 'unload'>,
    private readonly refresh: () => Promise<void>,
    private readonly clock: Clock,
    private readonly logger: Logger,
  ) {
    this.emitter = new Emitter((error) => logger.error('A listener of the pulls failed', error));
  }

  /** Fires with all active and failed pulls. */
  get onDidChange(): Event<PullState[]> {
    return this.emitter.event;
  }

  get state(): PullState[] {
    return [...this.pulls.values()].map(({ state }) => state);
  }

  /**
   * Resolves with the result when the pull has ended. Never rejects for a server error. Calls with the same name share one pull.
   * Throws `AppError` with code `modelName` for an invalid model name.
   */
  async pull(text: string): Promise<PullState> {
    return this.begin(text).done;
  }

  /** Starts a pull without waiting until it ends. */
  begin(text: string): Pick<Pull, 'done'> {
    const name = parseModelName(text);
    const going = this.pulls.get(name);
    if (going && going.state.status !== 'failed') return going;
    const state: PullState = { name, status: 'starting', completed: 0, total: null, bytesPerSecond: null, message: null };
    const pull: Pull = { state, stopping: new AbortController(), done: Promise.resolve(state) };
    this.pulls.set(name, pull);
    pull.done = this.run(pull);
    this.announce();
    return pull;
  }

  /** Cancels a pull, or removes a failed pull. The server keeps the downloaded part, and the next pull continues from there. */
  cancel(text: string): void {
    const pull = this.pulls.get(parseModelName(text));
    pull?.stopping.abort();
    if (pull?.state.status === 'failed') this.forget(pull);
  }

  async delete(name: string): Promise<void> {
    await this.client.deleteModel(name);
    await this.refresh();
  }

  async unload(name: string): Promise<void> {
    await this.client.unload(name);
    await this.refresh();
  }

  dispose(): void {
    for (const { stopping } of this.pulls.values()) stopping.abort();
    this.emitter.dispose();
  }

  private async run(pull: Pull): Promise<PullState> {
    const meter = new PullMeter();
    try {
      for await (const progress of this.client.pull(pull.state.name, { signal: pull.stopping.signal })) {
        const figures = meter.take(progress, this.clock.now());
        this.update(pull, { status: progress.digest === undefined ? 'finishing' : 'pulling', ...figures });
      }
      await this.refresh();
      this.update(pull, { status: 'done' });
    } catch (error) {
      if (isCancelled(error)) this.update(pull, { status: 'cancelled' });
      else this.update(pull, { status: 'failed', message: this.describeReason(pull.state.name, error) });
    }
    if (pull.state.status !== 'failed') this.forget(pull);
    else this.announce();
    return pull.state;
  }

  private describeReason(name: string, error: unknown): string {
    this.logger.warn(`Pulling ${name} failed: ${messageOf(error)}`);
    return error instanceof AppError ? error.userMessage : t('Could not pull the model. See the log for details.');
  }

  private update(pull: Pull, change: Partial<PullState>): void {
    // `finishing` is reported only after the download has started.
    const status = change.status === 'finishing' && pull.state.status === 'starting' ? 'starting' : change.status;
    const isNew = status !== undefined && status !== pull.state.status;
    pull.state = { ...pull.state, ...change, ...(status !== undefined && { status }) };
    if (isNew || this.clock.now() - this.announcedAt >= progressIntervalMs) this.announce();
  }

  private forget(pull: Pull): void {
    if (this.pulls.get(pull.state.name) === pull) this.pulls.delete(pull.state.name);
    this.announce();
  }

  private announce(): void {
    this.announcedAt = this.clock.now();
    this.emitter.fire(this.state);
  }
}

/** Parses a model name. Also accepts `ollama pull x`, as copied from a model page. */
function parseModelName(text: string): string {
  const name = text.trim().replace(/^ollama\s+(pull|run)\s+/, '');
  if (/^[\w][\w.:/-]{0,199}$/.test(name)) return name;
  throw new ModelNameError(`Not a model's name: ${name}`, t('This is not a valid model name. Example: “qwen3:8b”.'));
}
