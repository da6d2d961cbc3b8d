import { visibleLine } from '../protocol/text/visibleText';
import type { Logger } from '../utils/logger';

/** Returns a logger that only writes warnings and errors. */
export function terminalLogger(note: (text: string) => void): Logger {
  const say = (message: string | Error) =>
    note(visibleLine((message instanceof Error ? message.message : message).slice(0, 500)));
  return { trace() {}, debug() {}, info() {}, warn: say, error: say };
}
