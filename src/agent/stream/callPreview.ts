import type { ToolFamily } from '../../protocol/toolFacts';
import type { Activity } from '../../protocol/webviewEvents';
import type { Clock } from '../../utils/clock';
import { draftOf } from './callDraft';

/** Shortest interval between two reports of an edit that is being written, in milliseconds. */
const pause = 150;
/** Characters; what is longer is not looked at again with each word. */
const longest = 200_000;

type Preparing = Extract<Activity, { kind: 'preparing' }>;

/** Tells what call a model is writing into its text and, of an edit, what can be seen of it already. */
export class CallPreview {
  private current: Preparing | null = null;
  private tool = '';
  /** File before the edit; without text while it is being looked up. */
  private before: { path: string; text?: string | null } | null = null;
  private last = 0;

  constructor(
    private readonly clock: Clock,
    private readonly say: (activity: Activity) => void,
    private readonly textBefore: (tool: string, path: string) => Promise<string | null>,
  ) {}

  /** Notes that a call has begun, or that its tool is known by now; null when it is over. */
  tell(call: { tool: string; family: ToolFamily } | null): void {
    const since = this.current?.since ?? this.clock.now();
    this.current = call && { kind: 'preparing', work: workOf(call.family), since };
    this.tool = call?.tool ?? '';
    this.before = null;
    this.last = 0;
    this.say(this.current ?? { kind: 'answering', since: this.clock.now() });
  }

  /** Reports the edit after more of it has been written. */
  follow(written: () => string | null): void {
    const now = this.clock.now();
    if (this.current?.work !== 'edit' || now - this.last < pause) return;
    const text = written();
    if (text === null || text.length > longest) return;
    const draft = draftOf(text, (path) => this.lookUp(path, () => this.follow(written)));
    if (draft === null) return;
    this.last = now;
    this.current = { ...this.current, draft };
    this.say(this.current);
  }

  private lookUp(path: string, known: () => void): string | null | undefined {
    if (this.before?.path !== path) {
      const before: { path: string; text?: string | null } = { path };
      this.before = before;
      // What cannot be read is shown by the call itself.
      void this.textBefore(this.tool, path)
        .catch(() => null)
        .then((text) => {
          before.text = text;
          if (this.before === before) known();
        });
    }
    return this.before.text;
  }
}

function workOf(family: ToolFamily): Preparing['work'] {
  return family === 'edit' || family === 'command' ? family : 'call';
}
