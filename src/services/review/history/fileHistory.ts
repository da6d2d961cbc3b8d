import type { SnapshotState } from '../../database/log/answers';
import type { SnapshotObjects } from '../../../types/checkpoint';
import { editedBytes, editsBetween, isSameForm } from '../../../utils/text/editedBytes';
import { Weave } from '../../../utils/text/weave/weave';
import { others } from '../../../utils/text/weave/wovenLine';
import { comparableLines } from '../fileHunks';
import type { AnswerEvent, FileEvent, WrittenEvent } from './fileEvents';

/** History of a file since a chat first changed it. */
export interface FileHistory {
  /** State of the file without the changes of the chat; null if it would not exist. */
  base: SnapshotState | null;
  /** Lines of the file up to the last known state. Undefined if a state is too large or not text. */
  weave: Weave | undefined;
  /** Last known state; undefined if the result of the chat's last change is unknown. */
  last: SnapshotState | null | undefined;
  /** False if a restore brought the file back to a time before the chat changed it. */
  isChanged: boolean;
}

/** Applies events to a file's history in order. Throws if a state is not stored. */
export async function followed(author: string, events: readonly FileEvent[], objects: SnapshotObjects): Promise<HistoryFollower> {
  const follower = new HistoryFollower(author, objects);
  for (const event of events) await follower.follow(event);
  return follower;
}

/** Base of a file. It is a state or, if `bytes` is set, this content with the permission bits `mode`. */
interface Base {
  state: SnapshotState | null;
  mode: number | null;
  bytes?: Buffer;
}

/** Applies the events of a file to its history. */
export class HistoryFollower {
  private weave: Weave | undefined;
  /** Base if the lines are unknown. Otherwise the state with the base's encoding, line breaks and mode. */
  private base: SnapshotState | null = null;
  /** Last known state. Undefined before the first state, and if the result of a chat is unknown. */
  private last: SnapshotState | null | undefined;
  private isFirst = true;
  /** True if the chat created the file. */
  private isMade = false;
  /** True if the chat changed the file since the base was taken from a state. */
  private isChanged = false;
  /** The chat's most recent message that changed the file. */
  private turn = -1;
  private result: Base | undefined;

  constructor(
    private readonly author: string,
    private readonly objects: SnapshotObjects,
  ) {}

  async follow(event: FileEvent): Promise<void> {
    if (event.kind === 'found') await this.found(event.state);
    else if (event.kind === 'written') await this.written(event);
    else if (event.kind === 'undone') await this.undone(event);
    else if (event.kind === 'kept') await this.kept(event);
    else this.weave = this.weave?.withdrawn(event.author);
  }

  /** Returns the result. Call this after the last event. Stores the base if its content is not that of a known state. */
  async history(): Promise<FileHistory> {
    const { weave, last } = this;
    this.result ??= await this.computeBase();
    const { state, bytes } = this.result;
    const [hash] = bytes === undefined ? [] : await this.objects.put([bytes]);
    return { base: hash === undefined ? state : { hash, mode: this.result.mode }, weave, last, isChanged: this.isChanged };
  }

  private async found(state: SnapshotState | null): Promise<void> {
    if (this.isFirst) return this.begin(state);
    if (this.last === undefined) {
      // Attribute all lines to the chat, because their authors are unknown.
      await this.written({ author: this.author, turn: this.turn, state });
      return;
    }
    const { last } = this;
    if (last?.hash === state?.hash)
      this.base = this.base && { ...this.base, mode: undoneMode(this.base, last, state?.mode ?? null) };
    else {
      const lines = await this.lines(state);
      if (last === null || state === null || lines === undefined || this.weave === undefined) return this.begin(state);
      this.weave = this.weave.advanced(others, lines);
      await this.form(last, state);
    }
    this.last = state;
  }

  private async begin(state: SnapshotState | null): Promise<void> {
    const lines = await this.lines(state);
    this.weave = lines && Weave.of(lines);
    this.base = state;
    this.last = state;
    this.isFirst = false;
    this.isMade = state === null;
    this.isChanged = false;
  }

  private async written({ author, turn, state }: Omit<WrittenEvent, 'kind'>): Promise<void> {
    const before = this.last;
    this.last = state;
    if (author === this.author) {
      this.turn = turn;
      this.isChanged = true;
    }
    if (state === undefined) return;
    const lines = await this.lines(state);
    this.weave = lines && this.weave?.advanced(author, lines, author === this.author ? turn : -1);
    if (author === this.author) return;
    if (this.weave === undefined || before === null || before === undefined || state === null) this.base = state;
    else await this.form(before, state);
  }

  private async undone({ author, from, to }: AnswerEvent): Promise<void> {
    if (this.last === undefined || this.last === null || from === null) await this.found(from);
    const typed = await this.lines(from);
    const lines = await this.lines(to);
    this.weave = typed && lines && this.weave?.undone(author, typed, lines);
    if (this.last && from && this.last.hash !== from.hash) await this.form(this.last, from);
    this.last = to;
  }

  private async kept({ author, from, to }: AnswerEvent): Promise<void> {
    // Skip a decision about the former name of a file that the chat has renamed.
    if (author !== this.author || this.weave === undefined || (from === null) !== this.isMissing(this.weave)) return;
    const lines = await this.lines(to);
    this.weave = lines && this.weave.accepted(author, lines);
    if (to !== null && from?.hash === this.base?.hash) this.base = to;
  }

  /** Updates the base after others changed the file. If encoding, line breaks or mode changed, the base gets the new ones. */
  private async form(last: SnapshotState, state: SnapshotState): Promise<void> {
    const [one, other] = await Promise.all([this.objects.get(last.hash), this.objects.get(state.hash)]);
    const mode = undoneMode(this.base, last, state.mode);
    const hash = this.base !== null && isSameForm(Buffer.from(one), Buffer.from(other)) ? this.base.hash : state.hash;
    this.base = { hash, mode };
  }

  /** Returns the base. It is a known state, or content that must be stored. */
  private async computeBase(): Promise<Base> {
    const { base, weave } = this;
    const known = { state: base, mode: base === null ? (this.last?.mode ?? null) : base.mode };
    if (weave === undefined) return known;
    if (this.isMissing(weave)) return { ...known, state: null };
    const lines = weave.computeBase(this.author);
    if (base === null) return { ...known, bytes: Buffer.from(lines.join('\n')) };
    const like = Buffer.from(await this.objects.get(base.hash));
    const was = comparableLines([like])?.[0];
    const edits = was === undefined ? [] : editsBetween(was, lines);
    return edits.length === 0 ? known : { ...known, bytes: editedBytes(like, edits) };
  }

  /** Returns true if the file would not exist without the changes of the chat. */
  private isMissing(weave: Weave): boolean {
    return this.isMade && weave.computeBase(this.author).every((line) => line === '');
  }

  /** Returns the lines of a state. A missing file has one empty line. Returns undefined if the state is not text. */
  private async lines(state: SnapshotState | null): Promise<string[] | undefined> {
    return comparableLines([state && (await this.objects.get(state.hash))])?.[0];
  }
}

/** Returns the permission bits after an undo. They are the original bits, unless the bits changed after the agent's change. */
export function undoneMode(
  before: { mode: number | null } | null,
  left: { mode: number | null } | null | undefined,
  now: number | null,
): number | null {
  const isOthers = now !== null && left != null && left.mode !== null && left.mode !== now;
  return isOthers ? now : (before?.mode ?? now);
}
