import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { ReadBuffer, serializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { endOf, terminateGroup } from '../../services/terminal/run/childProcessRunner';
import { startWatched } from '../../services/terminal/run/groupWatch';
import { systemClock } from '../../utils/clock';
import { withTimeout } from '../../utils/withTimeout';
import type { StdioServer } from '../config/serverConfig';
import { maxMessage } from './limitedResponse';

/** Milliseconds that a server has to end by itself once its input is closed. */
const politeMs = 500;

/** Talks with a program over its input and output. The program leads a group of processes that ends with it, and with this window. */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  private readonly buffer = new ReadBuffer({ maxBufferSize: maxMessage });
  private child: ChildProcessWithoutNullStreams | null = null;
  private ended: Promise<number | null> = Promise.resolve(null);
  private isClosed = false;

  constructor(
    private readonly program: StdioServer,
    private readonly onOutput: (text: string) => void,
    private readonly onExit: (code: number | null) => void,
  ) {}

  /** Tells the client, with `pid`, that this is a pipe and no network. */
  get stderr(): null {
    return null;
  }

  get pid(): number | null {
    return this.child?.pid ?? null;
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.program;
    const child = startWatched(() =>
      spawn(command, args, {
        ...{ env: { ...getDefaultEnvironment(), ...env }, ...(cwd !== null && { cwd }) },
        detached: process.platform !== 'win32',
        windowsHide: true,
        stdio: ['pipe', 'pipe', 'pipe'],
      }),
    );
    this.child = child;
    child.stderr.setEncoding('utf8').on('data', this.onOutput);
    child.stdout.on('data', (chunk: Buffer) => this.receive(chunk));
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', (error: Error) => this.onerror?.(error));
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    child.on('error', (error) => this.onerror?.(error));
    this.ended = endOf(child);
    this.ended.then(
      (code) => {
        this.onExit(code);
        void this.close();
      },
      () => undefined,
    );
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.child?.stdin;
    if (this.isClosed || stdin?.writable !== true) throw new Error('Not connected');
    if (!stdin.write(serializeMessage(message)))
      await new Promise((resolve) => stdin.once('drain', resolve).once('close', resolve));
  }

  /** Resolves when no process of the server is left. */
  async close(): Promise<void> {
    const { child } = this;
    if (this.isClosed || child === null) return;
    this.isClosed = true;
    child.stdin.end();
    await withTimeout(
      this.ended.catch(() => null),
      politeMs,
      systemClock,
    );
    await terminateGroup(child, this.ended);
    this.buffer.clear();
    this.onclose?.();
  }

  private receive(chunk: Buffer): void {
    if (this.isClosed) return;
    try {
      this.buffer.append(chunk);
    } catch (error) {
      this.onerror?.(error as Error);
      void this.close();
      return;
    }
    for (;;) {
      try {
        const message = this.buffer.readMessage();
        if (message === null) return;
        this.onmessage?.(message);
      } catch (error) {
        this.onerror?.(error as Error);
      }
    }
  }
}
