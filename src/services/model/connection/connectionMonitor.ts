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
import { unaskedConnection } from '../unaskedConnection';

/** Milliseconds between questions to a server that did not answer while somebody watches. */
const recheckInterval = 3000;

/** Milliseconds after which a silent server counts as absent: it tells its version at once, even while it loads. */
const patience = 8000;

/** Watches whether the configured server answers. While it does not and somebody watches, asks it again by itself. */
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
    /** The bearer token for an origin, if there is one. */
    private readonly token: (origin: string) => Promise<string | undefined> = () => Promise.resolve(undefined),
  ) {
    this.emitter = new Emitter((error) => logger.error('A connection listener failed', error));
    this.current = unaskedConnection(baseUrl(), demo);
  }

  get onDidChange() {
    return this.emitter.event;
  }

  get state(): ConnectionState {
    return this.current;
  }

  /** Milliseconds that the server took to answer the last check; null while it does not answer. */
  get latency(): number | null {
    return this.measured;
  }

  /** Asks the server now; calls that overlap share one question, as long as the address stays the same. */
  check(): Promise<ConnectionState> {
    const address = this.baseUrl();
    if (this.checking?.address === address) return this.checking.state;
    const state = this.ask(address).finally(() => {
      if (this.checking?.state === state) this.checking = undefined;
    });
    this.checking = { address, state };
    return state;
  }

  /** Asks an unreachable server again every few seconds until the result is disposed. */
  watch(): Disposable {
    this.watchers += 1;
    this.recheckLater();
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
    // What the old server says does not matter any more.
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
    this.recheckLater();
    return this.current;
  }

  /** Returns the server's answer, or that there was none in time. */
  private async test(address: string): Promise<{ ok: true; version: string } | { ok: false; error: OllamaError }> {
    const over = new AbortController();
    const signal = AbortSignal.any([this.lifetime.signal, over.signal]);
    const silence = this.clock.sleep(patience, signal).then(() => {
      const shown = shownAddress(address);
      const userMessage = t(
        '{0} has not answered for {1} seconds. See that Ollama runs there and that no firewall is between, or change the address in the settings.',
        shown,
        patience / 1000,
      );
      return { ok: false as const, error: new ConnectionError(`No answer from ${shown} in time`, userMessage) };
    });
    const answer = this.client.testConnection({ signal });
    // Whichever comes second rejects, as it is cancelled.
    silence.catch(() => undefined);
    answer.catch(() => undefined);
    try {
      return await Promise.race([answer, silence]);
    } finally {
      over.abort();
    }
  }

  /** Tells whether the token crosses a network unencrypted. Storage that fails is no reason to warn. */
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

  private recheckLater(): void {
    if (this.waiting || this.watchers === 0 || this.current.state === 'connected' || this.current.state === 'unknown') return;
    this.waiting = true;
    void this.clock
      .sleep(recheckInterval, this.lifetime.signal)
      .then(() => {
        this.waiting = false;
        return this.watchers > 0 ? this.check() : undefined;
      })
      .catch((error: unknown) => {
        if (!isCancelled(error)) this.logger.error('Could not ask the server again', error);
      });
  }
}
