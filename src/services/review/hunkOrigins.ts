import type { LogQueries } from '../database/log/logQueries';

/** The message that a change answers, and who answered it. */
export interface HunkOrigin {
  message: string;
  /** null where nothing of the answer is in the log. */
  model: string | null;
}

/** Finds the messages that changes answer in the log. */
export class HunkOrigins {
  constructor(private readonly queries: Pick<LogQueries, 'page'>) {}

  /** Resolves with the message at `turn` (its `seq`) and the model that answered it; null where it is there no more. */
  async of(sessionId: string, turn: number): Promise<HunkOrigin | null> {
    const every = { sessionId, limit: 1, includeCompacted: true };
    const asked = await this.queries.page({ ...every, afterSeq: turn - 1, types: ['user_input'] });
    const [message] = asked.entries;
    if (message?.seq !== turn) return null;
    const answered = await this.queries.page({ ...every, afterSeq: turn, types: ['assistant_output', 'tool_call'] });
    return { message: message.content, model: answered.entries[0]?.model ?? null };
  }
}
