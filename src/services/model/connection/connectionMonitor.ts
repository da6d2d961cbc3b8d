import type { ConnectionState } from '../../../protocol/webviewEvents';
import { shownAddress } from '../../../types/httpAddress';
import type { Clock } from '../../../utils/clock';
import type { Disposable } from '../../../utils/disposable';
import { Emitter } from '../../../utils/emitter';
import { isCancelled } from '../../../utils/errors';
import { t } from '../../../utils/l10n';
import type { Logger } from '../../../utils/logger';
import type { OllamaClient } from '../client/ollamaClient';
import { ConnectionError, NoAnswerError, type OllamaError } from '../client/ollamaErrors';
import { isUnencrypted, parseServerAddress } from '../client/serverAddress';
import { initialConnection } from '../initialConnection';

/** Polling interval in milliseconds while a view is open and the server does not respond. */
const pollIntervalMs = 3000;

/**
 * Milliseconds after which a silent server counts as unreachable. A
 * server returns its version immediately, even while it loads a model.
 */
const timeoutMs = 8000;

/** Monitors the connection to the configured server. Polls an unreachable server while a view is open. */
export class ConnectionMonitor implements Disposable {
  private readonly emitter: Emitter<ConnectionState>;
  private readonly lifetime = new AbortController();
  private watchers = 0;
  private checking: { address: string; state: Promise<ConnectionState> } | undefined;
  private waiting = false;
  private current: ConnectionState;
  private measured: number | null = null;

  constructor(
    private readonly client: Pick<OllamaClient, 'testConnection'>,
    private readonly baseUrl: () => string,
    private readonly demo: boolean,
    private readonly clock: Clock,
    private readonly logger: Logger,
    /** Returns the bearer token of an origin, if there is one. */
    private readonly token: (origin: string) => Promise<string | undefined> = () => Promise.resolve(undefined),
  ) {
    this.emitter = new Emitter((error) => logger.error('A connection listener failed', error));
    this.current = initialConnection(baseUrl(), demo);
  }

  get onDidChange() {
    return this.emitter.event;
  }

  get state(): ConnectionState {
    return this.current;
  }

  /** Response time of the last check in milliseconds. Null if it failed. */
  get latency(): number | null {
    return this.measured;
  }

  /** Checks the connection now. Parallel calls share one request while the address is the same. */
  check(): Promise<ConnectionState> {
    const address = this.baseUrl();
    if (this.checking?.address === address) return this.checking.state;
    const state = this.ask(address).finally(() => {
      if (this.checking?.state === state) this.checking = undefined;
    });
    this.checking = { address, state };
    return state;
  }

  /** Polls an unreachable server every `pollIntervalMs`, until the result is disposed. */
  watch(): Disposable {
    this.watchers += 1;
    this.pollLater();
    let isWatching = true;
    return {
      dispose: () => {
        if (isWatching) this.watchers -= 1;
        isWatching = false;
      },
    };
  }

  dispose(): void {
    this.lifetime.abort();
    this.emitter.dispose();
  }

  private async ask(address: string): Promise<ConnectionState> {
    const asked = this.clock.now();
    const test = await this.test(address);
    const latency = this.clock.now() - asked;
    const isTokenExposed = await this.exposesToken(address);
    // The address has changed, so this result is outdated.
    if (this.baseUrl() !== address) return this.check();
    const base = { baseUrl: shownAddress(address), demo: this.demo, ...(isTokenExposed && { isTokenExposed }) };
    this.measured = test.ok ? latency : null;
    if (test.ok) this.update({ ...base, state: 'connected', version: test.version, message: null });
    else if (!isCancelled(test.error)) {
      const states = { connection: 'unreachable', auth: 'unauthorized' } as const;
      const state = states[test.error.code as keyof typeof states] ?? 'error';
      const isSilent = test.error instanceof NoAnswerError;
      this.update({ ...base, state, version: null, message: test.error.userMessage, ...(isSilent && { isSilent }) });
    }
    this.pollLater();
    return this.current;
  }

  /** Returns the version that the server reports, or an error after the time limit. */
  private async test(address: string): Promise<{ ok: true; version: string } | { ok: false; error: OllamaError }> {
    const over = new AbortController();
    const signal = AbortSignal.any([this.lifetime.signal, over.signal]);
    const silence = this.clock.sleep(timeoutMs, signal).then(() => {
      const shown = shownAddress(address);
      const userMessage = t(
        '{0} has not responded for {1} seconds. Check that Ollama is running and not blocked by a firewall, or change the server address.',
        shown,
        timeoutMs / 1000,
      );
      return { ok: false as const, error: new ConnectionError(`No answer from ${shown} in time`, userMessage) };
    });
    const answer = this.client.testConnection({ signal });
    // The promise that loses the race rejects when it is cancelled. Ignore this rejection.
    silence.catch(() => undefined);
    answer.catch(() => undefined);
    try {
      return await Promise.race([answer, silence]);
    } finally {
      over.abort();
    }
  }

  /** Returns whether the token crosses a network unencrypted. If the secret storage fails, returns false. */
  private async exposesToken(address: string): Promise<boolean> {
    if (!isUnencrypted(address)) return false;
    try {
      return ((await this.token(parseServerAddress(address).origin)) ?? '').trim() !== '';
    } catch (error) {
      this.logger.error('Could not read the bearer token', error);
      return false;
    }
  }

  private update(next: ConnectionState): void {
    const changed = JSON.stringify(next) !== JSON.stringify(this.current);
    this.current = next;
    if (!changed) return;
    this.logger.info(`Ollama at ${next.baseUrl}: ${next.state}${next.version ? ` (version ${next.version})` : ''}`);
    this.emitter.fire(next);
  }

  private pollLater(): void {
    if (this.waiting || this.watchers === 0 || this.current.state === 'connected' || this.current.state === 'unknown') return;
    this.waiting = true;
    void this.clock
      .sleep(pollIntervalMs, this.lifetime.signal)
      .then(() => {
        this.waiting = false;
        return this.watchers > 0 ? this.check() : undefined;
      })
      .catch((error: unknown) => {
        if (!isCancelled(error)) this.logger.error('Could not ask the server again', error);
      });
  }
}
