import type { ToolFamily } from '../../protocol/toolFacts';
import type { Activity } from '../../protocol/webviewEvents';
import type { Clock } from '../../utils/clock';
import { readDraft } from './callDraft';

/** Minimum time in milliseconds between two reports of an edit in progress. */
const minInterval = 150;
/** Maximum characters of a preview. A longer text is not parsed again with each chunk. */
const maxLength = 200_000;

type Preparing = Extract<Activity, { kind: 'preparing' }>;

/** Reports a call that a model is writing as text. For an edit, also reports the visible part. */
export class CallPreview {
  private current: Preparing | null = null;
  private tool = '';
  /** File before the edit. `text` is missing while the file is loading. */
  private before: { path: string; text?: string | null } | null = null;
  private last = 0;

  constructor(
    private readonly clock: Clock,
    private readonly say: (activity: Activity) => void,
    private readonly textBefore: (tool: string, path: string) => Promise<string | null>,
  ) {}

  /** Reports that a call has begun or that its tool is known. Null means that the call has ended. */
  setCall(call: { tool: string; family: ToolFamily } | null): void {
    const since = this.current?.since ?? this.clock.now();
    this.current = call && { kind: 'preparing', work: describeWork(call.family), since };
    this.tool = call?.tool ?? '';
    this.before = null;
    this.last = 0;
    this.say(this.current ?? { kind: 'answering', since: this.clock.now() });
  }

  /** Reports an edit after the model has written more of it. */
  follow(written: () => string | null): void {
    const now = this.clock.now();
    if (this.current?.work !== 'edit' || now - this.last < minInterval) return;
    const text = written();
    if (text === null || text.length > maxLength) return;
    const draft = readDraft(text, (path) => this.lookUp(path, () => this.follow(written)));
    if (draft === null) return;
    this.last = now;
    this.current = { ...this.current, draft };
    this.say(this.current);
  }

  private lookUp(path: string, known: () => void): string | null | undefined {
    if (this.before?.path !== path) {
      const before: { path: string; text?: string | null } = { path };
      this.before = before;
      // If the file is unreadable, the call itself reports this.
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

function describeWork(family: ToolFamily): Preparing['work'] {
  return family === 'edit' || family === 'command' ? family : 'call';
}
