import assert from 'node:assert/strict';
import { applyEdits } from '../../../src/utils/text/lineEdits';
import { keepEdits, type StandingChange } from '../../../src/utils/text/weave/standingChanges';
import { Weave } from '../../../src/utils/text/weave/weave';
import { others } from '../../../src/utils/text/weave/wovenLine';
import { seeds } from '../../support/rounds';
import { Random } from '../../webview/support/random';

/** Sequences in which chats, the user and review answers rewrite functions in turns. */
const sequences = 200;
/** Steps per sequence. */
const steps = 7;

describe('Undoing rewrites', () => {
  for (const seed of seeds(1)) {
    it(`gives back what was there, and leaves what a person typed (seed ${seed})`, () => {
      const random = new Random(seed);
      const asked = Array.from({ length: sequences }, () => new Rewrites(random).run()).filter(Boolean);
      assert.ok(asked.length < sequences / 10);
    });
  }
});

class Rewrites {
  private readonly original: string[];
  private text: string[];
  private weave: Weave;
  private readonly chats: string[];
  private count = 0;
  private hasKept = false;
  private readonly told: string[] = [];

  constructor(private readonly random: Random) {
    const functions = 2 + random.integer(4);
    this.original = ['import a from "a";', '', ...Array.from({ length: functions }, () => this.made('base')).flat()];
    this.text = this.original;
    this.weave = Weave.of(this.original);
    this.chats = ['one', 'two', 'three'].slice(0, 1 + random.integer(3));
  }

  /** Returns true if decisions are left to the user at the end. */
  run(): boolean {
    try {
      for (let step = 0; step < steps; step += 1) this.step();
      const left = this.mixed(this.chats);
      for (let time = 0; time < 3; time += 1)
        for (const chat of [...left]) if (this.undoAll(chat)) left.splice(left.indexOf(chat), 1);
      if (left.length > 0) return true;
      if (!this.hasKept) assert.deepEqual(withoutTyped(this.text), this.original);
      return false;
    } catch (error) {
      throw new Error(`${this.told.join('\n')}\n---\n${this.text.join('\n')}`, { cause: error });
    }
  }

  private step(): void {
    const { random } = this;
    const kind = random.pick([
      'rewrite',
      'rewrite',
      'rewrite',
      'type',
      'type',
      'undo',
      'undo',
      'restore',
      'undoAll',
      'keep',
    ] as const);
    if (kind === 'rewrite') this.rewrite(random.pick(this.chats));
    else if (kind === 'type') this.type();
    else if (kind === 'undo') this.undoOne(random.pick(this.chats));
    else if (kind === 'restore') this.become('restore', this.original);
    else if (kind === 'keep') this.keep(random.pick(this.chats));
    else this.undoAll(random.pick(this.chats));
  }

  private become(what: string, text: readonly string[]): void {
    this.text = [...text];
    this.told.push(`${what}:\n${text.map((line) => `  | ${line}`).join('\n')}`);
  }

  /** Rewrites blocks as a chat. Records the changes by others first. */
  private rewrite(chat: string): void {
    this.weave = this.weave.advanced(others, this.text);
    const { random } = this;
    const blocks = blocksOf(this.text);
    for (let time = 1 + random.integer(3); time > 0; time -= 1) {
      const at = random.integer(blocks.length);
      const kind = random.pick(['move', 'edit', 'add', 'remove'] as const);
      if (kind === 'add') blocks.splice(at, 0, this.made('agent'));
      if (kind === 'move') blocks.splice(random.integer(blocks.length), 0, ...blocks.splice(at, 1));
      if (kind === 'remove' && !blocks[at]?.some(isTyped)) blocks.splice(at, 1);
      if (kind === 'edit') blocks[at] = (blocks[at] ?? []).map((line) => (line.startsWith('  ') ? this.line('  agent') : line));
    }
    // If an agent moved lines that the user typed, it would become their author.
    const after = blocks.flat();
    if (after.filter(isTyped).join() !== this.text.filter(isTyped).join()) return;
    this.become(`rewrite by ${chat}`, after);
    this.weave = this.weave.advanced(chat, after, this.told.length);
  }

  private type(): void {
    const at = this.random.integer(this.text.length + 1);
    this.become('type', this.text.toSpliced(at, 0, this.line('// mine')));
  }

  private undoOne(chat: string): void {
    const { changes, undoEdits } = this.weave.standing(chat, this.text);
    const chosen = changes.filter((change) => !change.isContested && !this.isOfTyped(chat, change));
    if (chosen.length === 0) return;
    const before = this.text;
    this.answer(`undo a hunk of ${chat}`, applyEdits(before, undoEdits([this.random.pick(chosen)])));
    this.weave = this.weave.undone(chat, before, this.text);
    assert.deepEqual(this.weave.text(), this.text);
  }

  /** Approves a change, which then belongs to the base text. */
  private keep(chat: string): void {
    // Rare, because a file with approved changes is no longer compared with its original at the end.
    if (this.random.integer(4) > 0) return;
    const { changes } = this.weave.standing(chat, this.text);
    const chosen = changes.filter((change) => !this.isOfTyped(chat, change));
    if (chosen.length === 0) return;
    const kept = applyEdits(this.weave.computeBase(chat), keepEdits(this.text, [this.random.pick(chosen)]));
    this.weave = this.weave.accepted(chat, kept);
    assert.deepEqual(this.weave.computeBase(chat), kept);
    assert.equal(this.weave.standing(chat, this.text).changes.length, changes.length - 1);
    this.hasKept = true;
  }

  /** Returns true if the change contains typed lines. If a chat moved such a line, answering one half would lose or duplicate the line. */
  private isOfTyped(chat: string, { baseStart, baseEnd, lines }: StandingChange): boolean {
    const old = this.weave.computeBase(chat).slice(baseStart, baseEnd);
    return [...old, ...lines.map((line) => this.text[line] ?? '')].some(isTyped);
  }

  /** Undoes all changes of a chat. Does nothing if the user has to decide. */
  private undoAll(chat: string): boolean {
    const { changes, undoEdits } = this.weave.standing(chat, this.text);
    if (changes.some(({ isContested }) => isContested)) return false;
    this.weave = this.weave.advanced(others, this.text);
    this.answer(`undo all of ${chat}`, applyEdits(this.text, undoEdits(changes)));
    this.weave = this.weave.withdrawn(chat).advanced(others, this.text);
    assert.deepEqual(this.weave.standing(chat, this.text).changes, []);
    return true;
  }

  private answer(what: string, result: readonly string[]): void {
    // Lines that a chat moved return to the place where they were typed.
    assert.deepEqual(result.filter(isTyped).sort(), this.text.filter(isTyped).sort());
    this.become(what, result);
  }

  private made(who: string): string[] {
    return [`export function ${this.line(who)}() {`, `  ${this.line(who)};`, '}', ''];
  }

  private line(who: string): string {
    this.count += 1;
    return `${who}${this.count}`;
  }

  private mixed<T>(list: readonly T[]): T[] {
    return [...list].sort(() => this.random.integer(3) - 1);
  }
}

function isTyped(line: string): boolean {
  return line.startsWith('// mine');
}

function withoutTyped(lines: readonly string[]): string[] {
  return lines.filter((line) => !isTyped(line));
}

/** Splits a text into blocks after empty lines. */
function blocksOf(lines: readonly string[]): string[][] {
  const blocks: string[][] = [[]];
  for (const line of lines) {
    blocks.at(-1)?.push(line);
    if (line === '') blocks.push([]);
  }
  return blocks;
}
