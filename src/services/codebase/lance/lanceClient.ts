import { fork, type ChildProcess } from 'node:child_process';
import { messageOf } from '../../../utils/errors';
import { LanceError } from './lanceError';
import type { LanceCall, LanceRequest, LanceResponse } from './lanceProtocol';

/** Number of failures after which the process is no longer restarted. */
const maxFailures = 3;
/** Time limits for reading and writing, in milliseconds. */
const readMs = 20_000;
const writeMs = 15 * 60_000;
const closeMs = 10_000;
/** Milliseconds without work after which the process is closed. The next call restarts it. */
const idleMs = 5 * 60_000;

const reads: ReadonlySet<LanceCall['kind']> = new Set(['nearest', 'count', 'probe', 'rows', 'nearestRows']);

interface Pending {
  resolve: (response: LanceResponse) => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

/**
 * Calls the LanceDB process. The first call starts it. An idle process is closed.
 * After a failure, the process is restarted, until it has failed three times.
 */
export class LanceClient {
  private child: ChildProcess | null = null;
  private readonly pending = new Map<number, Pending>();
  private idle: NodeJS.Timeout | undefined;
  private lastId = 0;
  private failures = 0;
  private lastCause = '';

  /** `file` is the compiled `lanceProcess`. */
  constructor(
    private readonly file: string,
    private readonly limits: { readMs: number; writeMs: number } = { readMs, writeMs },
  ) {}

  /** True if the process has failed too often to be restarted. */
  get isGivenUp(): boolean {
    return this.failures >= maxFailures;
  }

  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Rejects with `LanceError`. */
  async call(call: LanceCall): Promise<LanceResponse> {
    const response = await this.post(call);
    if (response.kind === 'error') throw new LanceError(response.code, response.message);
    return response;
  }

  /** Resolves when pending requests have finished and the process has exited. */
  async close(): Promise<void> {
    clearTimeout(this.idle);
    const { child } = this;
    if (child === null) return;
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    const insist = setTimeout(() => child.kill('SIGKILL'), closeMs);
    this.post({ kind: 'close' }).catch(() => undefined);
    await exited;
    clearTimeout(insist);
  }

  private post(call: LanceCall): Promise<LanceResponse> {
    if (this.isGivenUp)
      return Promise.reject(new LanceError('ended', `The process of LanceDB has ended ${this.failures} times${this.lastCause}`));
    clearTimeout(this.idle);
    const child = (this.child ??= this.start());
    this.lastId += 1;
    const request: LanceRequest = { ...call, id: this.lastId };
    return new Promise((resolve, reject) => {
      const isRead = reads.has(call.kind);
      const timer = setTimeout(() => this.onTimeout(child, request), isRead ? this.limits.readMs : this.limits.writeMs);
      this.pending.set(request.id, { resolve, reject, timer });
      child.ref();
      child.channel?.ref();
      child.send(request, (error) => {
        if (error !== null) this.onExit(child, messageOf(error));
      });
    });
  }

  private start(): ChildProcess {
    const env = { ...process.env, ELECTRON_RUN_AS_NODE: '1', RUST_LOG: 'error', LANCE_CPU_THREADS: '2' };
    const child = fork(this.file, [], {
      env,
      execArgv: [],
      serialization: 'advanced',
      stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    });
    let said = '';
    child.stderr?.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(-500)));
    (child.stderr as { unref?: () => void } | null)?.unref?.();
    child.on('message', (response: LanceResponse) => {
      const waiting = this.pending.get(response.id);
      this.pending.delete(response.id);
      clearTimeout(waiting?.timer);
      waiting?.resolve(response);
      if (this.pending.size > 0) return;
      this.idle = setTimeout(() => void this.close(), idleMs).unref();
      child.unref();
      child.channel?.unref();
    });
    child.on('error', (error) => this.onExit(child, messageOf(error)));
    child.on('exit', (code, signal) => this.onExit(child, `${signal ?? `exit code ${code}`} ${said}`.trim()));
    return child;
  }

  private onTimeout(child: ChildProcess, { id, kind }: LanceRequest): void {
    const waiting = this.pending.get(id);
    this.pending.delete(id);
    waiting?.reject(new LanceError('late', `LanceDB did not answer (${kind})`));
    child.kill('SIGKILL');
  }

  private onExit(child: ChildProcess, cause: string): void {
    if (this.child !== child) return;
    this.child = null;
    const waiting = [...this.pending.values()];
    this.pending.clear();
    if (cause !== 'exit code 0') this.failures += 1;
    this.lastCause = `: ${cause}`;
    for (const { reject, timer } of waiting) {
      clearTimeout(timer);
      reject(new LanceError('ended', `The process of LanceDB ended: ${cause}`));
    }
  }
}
