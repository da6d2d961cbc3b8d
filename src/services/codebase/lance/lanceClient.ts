import { fork, type ChildProcess } from 'node:child_process';
import { messageOf } from '../../../utils/errors';
import { LanceError } from './lanceError';
import type { LanceCall, LanceRequest, LanceResponse } from './lanceProtocol';

/** Ends of the process after which it is not started again. */
const mostEnds = 3;
/** Milliseconds that reading and writing may take. */
const readMs = 20_000;
const writeMs = 15 * 60_000;
const closeMs = 10_000;
/** Milliseconds without work after which the process is closed; the next call starts it again. */
const idleMs = 5 * 60_000;

const reads: ReadonlySet<LanceCall['kind']> = new Set(['nearest', 'count', 'probe', 'rows', 'nearestRows']);

interface Pending {
  resolve: (response: LanceResponse) => void;
  reject: (error: Error) => void;
  timer: NodeJS.Timeout;
}

/** Calls the process of LanceDB: started by the first call, closed without work, started again by the next call after it failed, three times at the most. */
export class LanceClient {
  private child: ChildProcess | null = null;
  private readonly pending = new Map<number, Pending>();
  private idle: NodeJS.Timeout | undefined;
  private lastId = 0;
  private ends = 0;
  private lastWords = '';

  /** `file` is the compiled `lanceProcess`. */
  constructor(
    private readonly file: string,
    private readonly limits: { readMs: number; writeMs: number } = { readMs, writeMs },
  ) {}

  /** True where the process has ended so often that it is not started any more. */
  get isGivenUp(): boolean {
    return this.ends >= mostEnds;
  }

  /** Number of the process; nothing while none runs. */
  get pid(): number | undefined {
    return this.child?.pid;
  }

  /** Rejects with `LanceError`. */
  async call(call: LanceCall): Promise<LanceResponse> {
    const response = await this.post(call);
    if (response.kind === 'error') throw new LanceError(response.code, response.message);
    return response;
  }

  /** Resolves when what was asked is done and the process has ended. */
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
      return Promise.reject(new LanceError('ended', `The process of LanceDB has ended ${this.ends} times${this.lastWords}`));
    clearTimeout(this.idle);
    const child = (this.child ??= this.start());
    this.lastId += 1;
    const request: LanceRequest = { ...call, id: this.lastId };
    return new Promise((resolve, reject) => {
      const isRead = reads.has(call.kind);
      const timer = setTimeout(() => this.late(child, request), isRead ? this.limits.readMs : this.limits.writeMs);
      this.pending.set(request.id, { resolve, reject, timer });
      child.ref();
      child.channel?.ref();
      child.send(request, (error) => {
        if (error !== null) this.gone(child, messageOf(error));
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
    child.on('error', (error) => this.gone(child, messageOf(error)));
    child.on('exit', (code, signal) => this.gone(child, `${signal ?? `exit code ${code}`} ${said}`.trim()));
    return child;
  }

  private late(child: ChildProcess, { id, kind }: LanceRequest): void {
    const waiting = this.pending.get(id);
    this.pending.delete(id);
    waiting?.reject(new LanceError('late', `LanceDB did not answer (${kind})`));
    child.kill('SIGKILL');
  }

  private gone(child: ChildProcess, cause: string): void {
    if (this.child !== child) return;
    this.child = null;
    const waiting = [...this.pending.values()];
    this.pending.clear();
    if (cause !== 'exit code 0') this.ends += 1;
    this.lastWords = `: ${cause}`;
    for (const { reject, timer } of waiting) {
      clearTimeout(timer);
      reject(new LanceError('ended', `The process of LanceDB ended: ${cause}`));
    }
  }
}
