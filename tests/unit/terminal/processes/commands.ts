import { BackgroundCommands } from '../../../../src/services/terminal/run/backgroundCommands';
import { TerminalManager } from '../../../../src/services/terminal/run/terminalManager';
import { systemClock } from '../../../../src/utils/clock';
import { silentLogger } from '../../../../src/utils/logger';

/** Usage: `commands <folder>`. Runs endless commands without a terminal and reports their process groups. */
async function main([cwd = '']: string[]): Promise<void> {
  const { signal } = new AbortController();
  const tell = (text: string) => process.send?.(Number(text));
  const terminals = new TerminalManager(undefined, systemClock, silentLogger);
  const script = 'echo $$; sleep 300 & sleep 300';
  void terminals.run({ sessionId: 's', command: script, cwd, signal, onOutput: tell });
  const program = { file: '/bin/sh', args: ['-c', script], env: process.env };
  void terminals.run({ sessionId: 's', command: script, program, cwd, signal, onOutput: tell });
  const background = new BackgroundCommands(systemClock, silentLogger);
  const stubborn = 'trap "" TERM HUP; while :; do sleep 0.1; done';
  const { pid } = await background.start({ sessionId: 's', command: stubborn, cwd, signal });
  tell(String(pid));
}

void main(process.argv.slice(2));
