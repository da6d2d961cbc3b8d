import { isRecord } from '../../../utils/json';

/** Maximum number of characters to store from stray lines. */
const maxCharacters = 2000;
/** Maximum total length of the keys in a log entry, in characters. */
const maxKeys = 120;
/** Keys whose value is the complete message. */
const messageKeys = new Set(['message', 'detail', 'msg', 'reason', 'title']);
/** Matches lines of an event stream without a message. */
const eventLine = /^(?::|(?:event|id|retry):|\[DONE\])/;

/**
 * Collects lines of a stream that are not part of a response. Examples are
 * a server message under an unknown key and the error page of a proxy.
 */
export class StrayLines {
  private text = '';

  /** `log` receives the kind and length of each line, never its text. */
  constructor(private readonly log: (message: string) => void) {}

  add(line: unknown): void {
    const isText = typeof line === 'string';
    const keys = isRecord(line) ? `an object with ${Object.keys(line).join(', ').slice(0, maxKeys)}` : 'JSON, but no object';
    this.log(`Skipped a line of the stream: ${isText ? `${line.length} characters, not JSON` : keys}`);
    if (this.text.length >= maxCharacters) return;
    const words = isText ? (eventLine.test(line) ? '' : line) : isRecord(line) ? readWords(line) : '';
    this.text += `${words.slice(0, maxCharacters)}\n`;
  }

  /** Server message on one line, without tags. Empty if there is no message. */
  get words(): string {
    const plain = this.text.replace(/<(?:!--.*?--|(?:style|script)\b.*?<\/(?:style|script)|[!/a-z][^>]*)>/gis, ' ');
    return plain.replace(/\s+/g, ' ').trim();
  }
}

function readWords(line: Record<string, unknown>): string {
  const texts = Object.entries(line).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return texts.map(([key, value]) => (messageKeys.has(key) ? value : `${key}: ${value}`)).join(', ');
}
