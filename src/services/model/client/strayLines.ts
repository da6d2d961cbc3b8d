import { isRecord } from '../../../utils/json';

/** Maximum characters that are kept of these lines. */
const maxCharacters = 2000;
/** Maximum characters of the keys in a log entry. */
const maxKeys = 120;
/** Keys whose value is the whole message. */
const messageKeys = new Set(['message', 'detail', 'msg', 'reason', 'title']);
/** Lines of an event stream that carry no message. */
const eventLine = /^(?::|(?:event|id|retry):|\[DONE\])/;

/** Lines of a stream that are no part of an answer: a message of the server under an unknown key, or the error page of a proxy. */
export class StrayLines {
  private text = '';

  /** `log` gets the kind and length of each line, never its text. */
  constructor(private readonly log: (message: string) => void) {}

  add(line: unknown): void {
    const isText = typeof line === 'string';
    const keys = isRecord(line) ? `an object with ${Object.keys(line).join(', ').slice(0, maxKeys)}` : 'JSON, but no object';
    this.log(`Skipped a line of the stream: ${isText ? `${line.length} characters, not JSON` : keys}`);
    if (this.text.length >= maxCharacters) return;
    const words = isText ? (eventLine.test(line) ? '' : line) : isRecord(line) ? wordsOf(line) : '';
    this.text += `${words.slice(0, maxCharacters)}\n`;
  }

  /** Words of the server on one line, without tags; empty if there are none. */
  get words(): string {
    const plain = this.text.replace(/<(?:!--.*?--|(?:style|script)\b.*?<\/(?:style|script)|[!/a-z][^>]*)>/gis, ' ');
    return plain.replace(/\s+/g, ' ').trim();
  }
}

function wordsOf(line: Record<string, unknown>): string {
  const texts = Object.entries(line).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  return texts.map(([key, value]) => (messageKeys.has(key) ? value : `${key}: ${value}`)).join(', ');
}
