import { Readable, Writable } from 'node:stream';
import { ndJsonStream, type Stream } from '@agentclientprotocol/sdk';
import { visibleLine } from '../../protocol/text/visibleText';
import { openHeadlessCore } from '../headlessCore';
import { reported, type ServeSurroundings } from '../serve';
import { serveOptions } from '../serveOptions';
import { terminalLogger } from '../terminalLogger';
import { AcpAgent } from './acpAgent';

export const acpUsage = `ollama-copilot acp [FOLDER…]

  Run as an agent of the Agent Client Protocol on standard input and output. With folders, sessions stay within them.

  --storage DIR, --base-url URL, --model NAME, --settings FILE   as with serve
  --help                                                         show help
`;

/** Returns the stream over stdin and stdout of this process. No other code may write to stdout. */
export function ownStream(): Stream {
  const input = Readable.toWeb(process.stdin) as ReadableStream<Uint8Array>;
  return ndJsonStream(Writable.toWeb(process.stdout), input);
}

/** Serves one client until it disconnects. Resolves with the exit code. */
export async function acp(
  args: readonly string[],
  around: Omit<ServeSurroundings, 'askText' | 'fresh' | 'size'>,
  stream: () => Stream,
): Promise<number> {
  const note = (text: string) => around.note(`${visibleLine(text)}\n`);
  if (args.includes('--help')) {
    around.write(acpUsage);
    return 0;
  }
  let agent: AcpAgent | undefined;
  try {
    const options = serveOptions(args, 'acp');
    const logger = terminalLogger(note);
    const token = around.environment['OLLAMA_TOKEN'];
    agent = new AcpAgent({
      folders: options.folders.map(({ path }) => path),
      // Decline questions outside the protocol, because stdout only carries the protocol.
      open: (folder, servers) =>
        openHeadlessCore(
          { ...options, folders: folder === null ? [] : [folder] },
          around.workers,
          { note, ask: null },
          { token, logger, toolSource: servers && (() => servers) },
        ),
      version: around.version,
      logger,
    });
    const connection = agent.app.connect(stream());
    around.signal.addEventListener('abort', () => connection.close(), { once: true });
    await connection.closed;
    return 0;
  } catch (error) {
    return reported(error, 'acp', note);
  } finally {
    await agent?.dispose();
  }
}
