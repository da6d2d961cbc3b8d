import { Readable, Writable } from 'node:stream';
import { ndJsonStream, type Stream } from '@agentclientprotocol/sdk';
import { visibleLine } from '../../protocol/text/visibleText';
import { messageOf } from '../../utils/errors';
import { openHeadlessCore } from '../headlessCore';
import type { ServeSurroundings } from '../serve';
import { serveOptions, ServeUsageError } from '../serveOptions';
import { terminalLogger } from '../terminalLogger';
import { AcpAgent } from './acpAgent';

export const acpUsage = `  ollama-copilot acp [FOLDER…]               is an agent of the Agent Client Protocol on its input and output, for editors that speak it
      --storage DIR, --base-url URL, --model NAME, --settings FILE as with serve; with folders, sessions stay within them
`;

/** Returns the stream over a process's own input and output, which nothing else may write to. */
export function ownStream(): Stream {
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  return ndJsonStream(Writable.toWeb(process.stdout), input);
}

/** Serves one client until it leaves. Resolves with the exit code. */
export async function acp(
  args: readonly string[],
  around: Omit<ServeSurroundings, 'askText' | 'fresh' | 'size'>,
  stream: () => Stream,
): Promise<number> {
  const note = (text: string) => around.note(`${visibleLine(text)}\n`);
  if (args.includes('--help')) {
    around.note(acpUsage);
    return 0;
  }
  let agent: AcpAgent | undefined;
  try {
    const options = serveOptions(args, 'acp');
    const logger = terminalLogger(note);
    const token = around.environment['OLLAMA_TOKEN'];
    agent = new AcpAgent({
      folders: options.folders.map(({ path }) => path),
      // What is not asked by the protocol is declined: its output is the protocol's alone.
      open: (folder) =>
        openHeadlessCore({ ...options, folders: [folder] }, around.workers, { note, ask: null }, { token, logger }),
      ...{ version: around.version, logger },
    });
    const connection = agent.app.connect(stream());
    around.signal.addEventListener('abort', () => connection.close(), { once: true });
    await connection.closed;
    return 0;
  } catch (error) {
    note(messageOf(error));
    if (error instanceof ServeUsageError) around.note(`\n${acpUsage}`);
    return 1;
  } finally {
    await agent?.dispose();
  }
}
