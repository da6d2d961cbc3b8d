import type { Clock } from '../../utils/clock';

const maxCharacters = 100_000;

/** Stores the last stderr output of a server, and notes about its state. */
export class ServerLog {
  private kept = '';

  constructor(private readonly clock: Clock) {}

  get text(): string {
    return this.kept;
  }

  add(text: string): void {
    const ended = text.endsWith('\n') ? text : `${text}\n`;
    this.kept = (this.kept + ended).slice(-maxCharacters);
  }

  note(text: string): void {
    this.add(`${new Date(this.clock.now()).toISOString()} ${text}`);
  }
}
