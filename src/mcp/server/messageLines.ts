import { deserializeMessage, type JSONRPCMessage } from '@modelcontextprotocol/client';
import { phrase } from '../../utils/l10n';
import { McpError } from '../mcpError';
import { cleanLine } from '../tools/cleanText';

/** Maximum length of a line that is not a message, in characters. */
const maxStray = 500;
/** Maximum number of bytes to decode from a line that is not a message. */
const maxDecoded = 4 * maxStray;
const lineFeed = 10;

interface Reader {
  onMessage(message: JSONRPCMessage): void;
  /** Receives a line that is not a message. The line is shortened and has no control characters. */
  onStray(line: string): void;
}

/** Splits the output of a program into lines with one message each. Many programs also write log output to stdout. */
export class MessageLines {
  /** Parts of the current line. */
  private parts: Buffer[] = [];
  private size = 0;

  /** Creates the splitter. `max` is the maximum number of bytes per line. */
  constructor(
    private readonly max: number,
    private readonly reader: Reader,
  ) {}

  /** Throws an `McpError` if a line is too long. */
  add(chunk: Buffer): void {
    let start = 0;
    for (let end = chunk.indexOf(lineFeed); end !== -1; end = chunk.indexOf(lineFeed, start)) {
      this.keep(chunk.subarray(start, end));
      this.end();
      start = end + 1;
    }
    this.keep(chunk.subarray(start));
  }

  /** Handles the rest of the output as a line. */
  end(): void {
    const line = this.parts.length === 1 ? this.parts[0] : Buffer.concat(this.parts);
    this.clear();
    if (line !== undefined && line.length > 0) this.read(line);
  }

  clear(): void {
    this.parts = [];
    this.size = 0;
  }

  private keep(part: Buffer): void {
    if (part.length === 0) return;
    this.size += part.length;
    this.parts.push(part);
    if (this.size <= this.max) return;
    this.clear();
    throw new McpError('call', phrase('The server sent more than {0} MB in one message.', this.max / 1024 / 1024));
  }

  private read(line: Buffer): void {
    const message = messageIn(line);
    if (message !== null) {
      this.reader.onMessage(message);
      return;
    }
    const text = cleanLine(line.toString('utf8', 0, maxDecoded), maxStray);
    if (text !== '') this.reader.onStray(text);
  }
}

function messageIn(line: Buffer): JSONRPCMessage | null {
  try {
    return deserializeMessage(line.toString('utf8').replace(/^\uFEFF/, ''));
  } catch {
    return null;
  }
}
