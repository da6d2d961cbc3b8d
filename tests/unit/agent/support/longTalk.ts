import { writeFile } from 'node:fs/promises';
import type { Entry, EntryOf } from '../../../../src/protocol/entries';
import { buildHistory } from '../../../../src/protocol/history';
import type { WireMessage } from '../../../../src/types/ollama';
import type { Scripted } from '../../../support/ollama/doubleReply';
import type { AgentBench } from './agentBench';

export const filler =
  'The weather was fine and everybody walked along the river for a while before they went home again to have some tea. ';

/** Result of a long conversation. */
export class LongTalk {
  private constructor(
    readonly sessionId: string,
    readonly entries: readonly Entry[],
    private readonly facts: readonly string[],
    private readonly prohibitions: readonly string[],
  ) {}

  /** Runs `turns` turns. Every 25th turn states a fact, every 30th forbids something, every 4th reads a file. */
  static async of(bench: AgentBench, turns: number): Promise<LongTalk> {
    await writeFile(bench.file('long.txt'), 'A line of some length, of which there are many.\n'.repeat(60));
    const facts: string[] = [];
    const prohibitions: string[] = [];
    let sessionId: string | undefined;
    for (let turn = 1; turn <= turns; turn += 1) {
      const said: string[] = [];
      if (turn % 25 === 3) facts.push(`Service ${turn} listens on port ${4000 + turn}.`);
      if (turn % 25 === 3) said.push(facts.at(-1) ?? '');
      if (turn % 30 === 7) prohibitions.push(`Never touch the folder area${turn}.`);
      if (turn % 30 === 7) said.push(prohibitions.at(-1) ?? '');
      const read: Scripted[] = turn % 4 === 0 ? [[{ call: { name: 'read_file', arguments: { path: 'long.txt' } } }]] : [];
      bench.double.script.push(...read, `Answer ${turn}. ${filler.repeat(4)}`);
      const message = `${said.join(' ')} Tell me more of part ${turn}. ${filler.repeat(2)}`;
      sessionId = await bench.ask(message, sessionId === undefined ? {} : { sessionId });
    }
    const { entries } = await bench.database.log.read(sessionId ?? '', 0);
    return new LongTalk(sessionId ?? '', entries, facts, prohibitions);
  }

  ofType<T extends Entry['type']>(type: T): EntryOf<T>[] {
    return this.entries.filter((entry): entry is EntryOf<T> => entry.type === type);
  }

  /** Returns the text of the current prompt. */
  prompt(): string {
    return buildHistory(this.entries)
      .map(({ content }) => content)
      .join('\n');
  }

  forgottenProhibitions(): string[] {
    return this.prohibitions.filter((one) => !this.prompt().includes(one));
  }

  /** Returns the share of the facts that the prompt contains. */
  knownFacts(): number {
    return this.facts.filter((one) => this.prompt().includes(one)).length / this.facts.length;
  }

  /** Counts the prompts whose common prefix with the previous prompt is shorter than half of that prompt. */
  static rereads(requests: readonly Record<string, unknown>[]): number {
    const prompts = requests.map(({ messages, tools }) => JSON.stringify([tools, ...(messages as WireMessage[])]));
    return prompts.slice(1).filter((prompt, at) => sharedLength(prompts[at] ?? '', prompt) < (prompts[at]?.length ?? 0) / 2)
      .length;
  }
}

function sharedLength(a: string, b: string): number {
  let length = 0;
  while (length < a.length && a[length] === b[length]) length += 1;
  return length;
}
