import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { realpath } from 'node:fs/promises';
import { getDefaultEnvironment } from '@modelcontextprotocol/client/stdio';
import { serializeMessage, type JSONRPCMessage, type Transport } from '@modelcontextprotocol/client';
import { waitForExit, terminateGroup } from '../../services/terminal/run/childProcessRunner';
import { network } from '../../services/network/network';
import { startWithWatchdog } from '../../services/terminal/run/groupWatch';
import { systemClock } from '../../utils/clock';
import { withTimeout } from '../../utils/withTimeout';
import { mergedEnvironment } from '../../utils/programPlaces';
import { phrase } from '../../utils/l10n';
import type { StdioServer } from '../config/serverConfig';
import { McpError } from '../mcpError';
import { maxMessage } from './limitedResponse';
import { MessageLines } from './messageLines';
import { programCall } from './programCall';
import type { ConfineProgram } from './serverConnection';

/** Time for a server to exit after its input is closed, in milliseconds. */
const exitGraceMs = 500;

interface StdioHost {
  onOutput: (text: string) => void;
  /** Receives a line on stdout that is not a message. */
  onStray: (line: string) => void;
  onExit: (code: number | null) => void;
  /** Prepares the program for the sandbox. Null starts it without the sandbox. */
  confine: ConfineProgram | null;
  /** Cancels the preparation when it aborts. */
  signal: AbortSignal;
}

/**
 * Communicates with a program over stdin and stdout. The process group of the program
 * ends with the program and with this window.
 */
export class StdioTransport implements Transport {
  onclose?: (() => void) | undefined;
  onerror?: ((error: Error) => void) | undefined;
  onmessage?: Transport['onmessage'];
  private readonly lines: MessageLines;
  private child: ChildProcessWithoutNullStreams | null = null;
  private ended: Promise<number | null> = Promise.resolve(null);
  private isClosed = false;

  constructor(
    private readonly program: StdioServer,
    private readonly host: StdioHost,
  ) {
    this.lines = new MessageLines(maxMessage, {
      onMessage: (message) => this.pass(message),
      onStray: host.onStray,
    });
  }

  /** Together with `pid`, shows the client that the transport is a local pipe. */
  get stderr(): null {
    return null;
  }

  get pid(): number | null {
    return this.child?.pid ?? null;
  }

  async start(): Promise<void> {
    const { command, args, cwd } = this.program;
    const env = mergedEnvironment(getDefaultEnvironment(), this.program.env);
    const call = programCall(command, args, { env, cwd });
    const confined = await this.confined({ ...call, env });
    const { program } = confined;
    const child = startWithWatchdog(() =>
      spawn(program.file, program.args, {
        env: program.env,
        ...(cwd !== null && { cwd }),
        windowsVerbatimArguments: call.windowsVerbatimArguments,
        detached: process.platform !== 'win32',
        windowsHide: true,
        stdio: ['pipe', 'pipe', 'pipe'],
      }),
    );
    this.child = child;
    child.stderr.setEncoding('utf8').on('data', this.host.onOutput);
    child.stdout.on('data', (chunk: Buffer) => this.receive(chunk));
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.on('error', (error: Error) => this.onerror?.(error));
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', reject);
    });
    child.on('error', (error) => this.onerror?.(error));
    const ended = network.began({ purpose: 'mcpProgram', detail: command }, { isSandboxed: this.host.confine !== null });
    this.ended = waitForExit(child).finally(() => confined.finish());
    this.ended.then(
      (code) => {
        this.lines.end();
        ended('closed');
        this.host.onExit(code);
        void this.close();
      },
      () => ended('failed'),
    );
  }

  /** Prepares the program for the sandbox. If this fails, the program does not start at all. */
  private async confined(program: { file: string; args: readonly string[]; env: NodeJS.ProcessEnv }) {
    const { confine, signal } = this.host;
    if (confine === null) return { program, finish: () => undefined };
    if (this.program.cwd === null) throw new McpError('sandbox', phrase('The sandbox requires an open folder.'));
    const confined = await confine({ ...program, cwd: await realpath(this.program.cwd) }, signal);
    return { program: confined.program, finish: () => confined.finish(null) };
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.child?.stdin;
    if (this.isClosed || stdin?.writable !== true) throw new Error('Not connected');
    if (!stdin.write(serializeMessage(message)))
      await new Promise((resolve) => stdin.once('drain', resolve).once('close', resolve));
  }

  /** Closes the transport. Resolves when all processes of the server have ended. */
  async close(): Promise<void> {
    const { child } = this;
    if (this.isClosed || child === null) return;
    this.isClosed = true;
    child.stdin.end();
    await withTimeout(
      this.ended.catch(() => null),
      exitGraceMs,
      systemClock,
    );
    await terminateGroup(child, this.ended);
    this.lines.clear();
    this.onclose?.();
  }

  private pass(message: JSONRPCMessage): void {
    try {
      this.onmessage?.(message);
    } catch (error) {
      this.onerror?.(error as Error);
    }
  }

  private receive(chunk: Buffer): void {
    if (this.isClosed) return;
    try {
      this.lines.add(chunk);
    } catch (error) {
      this.onerror?.(error as Error);
      void this.close();
    }
  }
}
