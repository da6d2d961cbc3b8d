import { spawn, type ChildProcessByStdio } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { createInterface, type Interface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';

const program = path.join(process.cwd(), 'tests', 'unit', 'agent', 'support', 'runProblems.py');

/** Python file with a solution, the function that solves it, and the function's tests. */
export interface TestedFile {
  file: string;
  entry: string;
  test: string;
}

/** Python process that runs the tests of many problems. */
export class PythonTests {
  private readonly answers: AsyncIterator<string>;

  private constructor(
    private readonly child: ChildProcessByStdio<Writable, Readable, null>,
    lines: Interface,
  ) {
    this.answers = lines[Symbol.asyncIterator]();
  }

  /** Rejects if Python is not installed. */
  static async start(): Promise<PythonTests> {
    const name = process.platform === 'win32' ? 'python' : 'python3';
    const child = spawn(name, ['-I', program], { stdio: ['pipe', 'pipe', 'inherit'] });
    await once(child, 'spawn');
    return new PythonTests(child, createInterface({ input: child.stdout }));
  }

  /** Resolves with the errors of the files whose tests fail. Rejects if Python has exited. */
  async failures(files: readonly TestedFile[]): Promise<string[]> {
    this.child.stdin.write(`${JSON.stringify(files)}\n`);
    const answer = await this.answers.next();
    if (answer.done === true) throw new Error('Python has ended');
    return JSON.parse(answer.value) as string[];
  }

  async stop(): Promise<void> {
    if (this.child.exitCode !== null) return;
    const ended = once(this.child, 'exit');
    this.child.stdin.end();
    await ended;
  }
}
