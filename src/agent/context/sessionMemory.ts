import { z } from 'zod';
import type { Entry } from '../../protocol/entries';
import { selectPrompted } from '../../protocol/reducer/promptedEntries';
import { maxOwnMemory, type MemoryLine } from '../../protocol/requests/memoryRequests';
import { AsyncMutex } from '../../utils/asyncMutex';
import { phrase } from '../../utils/l10n';
import { AgentError } from '../kernel/agentError';
import type { LogStore, SessionStore } from '../kernel/ports';
import { ruleSentences, factSentences } from './ruleSentences';
import { describeChange, denialReason } from './factualSummary';

/** Edits that the user made to the memory of a chat, as stored in `sessions.session_memory`. */
const editsSchema = z
  .object({ own: z.array(z.string()).default([]), forgotten: z.array(z.string()).default([]) })
  .catch({ own: [], forgotten: [] });
export type MemoryEdits = z.infer<typeof editsSchema>;

/** Maximum number of listed lines of each kind. Only the newest lines are listed. */
const maxListed = 100;

/** Lists the parts of a chat that a summary keeps: sentences of the user, facts of the run, and the user's edits. */
export class SessionMemory {
  private readonly changing = new AsyncMutex();

  constructor(
    private readonly sessions: Pick<SessionStore, 'get' | 'update'>,
    private readonly log: Pick<LogStore, 'read'>,
  ) {}

  /** Returns the user's edits. Rejects with `StorageError`. */
  async readEdits(sessionId: string): Promise<MemoryEdits> {
    return parsed((await this.sessions.get(sessionId))?.session_memory ?? null);
  }

  /** Lists the user's own lines first, then the lines from the log in their order. Rejects with `StorageError`. */
  async list(sessionId: string): Promise<MemoryLine[]> {
    const { entries } = await this.log.read(sessionId, 0);
    return collectMemory(entries, await this.readEdits(sessionId));
  }

  /** Adds a line that is part of every request. Rejects with `AgentError` `memoryFull` if there is no space. */
  add(sessionId: string, text: string): Promise<void> {
    return this.change(sessionId, ({ own, forgotten }) => {
      const line = text.trim().replaceAll(/\s*\n\s*/g, ' ');
      const next = [...own.filter((one) => one !== line), line];
      if (next.join('\n').length > maxOwnMemory) {
        const words = phrase('The memory of a chat is limited to {0} characters. Remove something first.', maxOwnMemory);
        throw new AgentError('memoryFull', words);
      }
      return { own: next, forgotten };
    });
  }

  /** Removes or restores a line. The user's own lines are deleted permanently. */
  forget(sessionId: string, text: string, isForgotten: boolean): Promise<void> {
    return this.change(sessionId, ({ own, forgotten }) => {
      if (own.includes(text)) return { own: own.filter((one) => one !== text), forgotten };
      const others = forgotten.filter((one) => one !== text);
      return { own, forgotten: isForgotten ? [...others, text] : others };
    });
  }

  private change(sessionId: string, make: (edits: MemoryEdits) => MemoryEdits): Promise<void> {
    return this.changing.runExclusive(async () => {
      const next = make(await this.readEdits(sessionId));
      const isEmpty = next.own.length === 0 && next.forgotten.length === 0;
      await this.sessions.update(sessionId, { session_memory: isEmpty ? null : JSON.stringify(next) });
    });
  }
}

/** Returns the distinct lines of a log. Each line refers to the last entry that contains it. */
export function collectMemory(entries: readonly Entry[], { own, forgotten }: MemoryEdits): MemoryLine[] {
  const found = new Map<string, MemoryLine>();
  const put = (kind: MemoryLine['kind'], text: string, seq: number) => {
    const key = `${kind} ${text}`;
    found.delete(key);
    found.set(key, { kind, text, seq, isForgotten: forgotten.includes(text) });
  };
  for (const entry of selectPrompted(entries)) {
    if (entry.type === 'user_input' || (entry.type === 'question' && entry.data.phase === 'settled')) {
      for (const sentence of ruleSentences(entry.content)) put('rule', sentence, entry.seq);
      if (entry.type === 'user_input') for (const sentence of factSentences(entry.content)) put('said', sentence, entry.seq);
    } else if (entry.type === 'file_edit') put('changed', describeChange(entry.data), entry.seq);
    else if (entry.type === 'tool_result' && entry.data.status === 'error') put('failed', denialReason(entry.content), entry.seq);
  }
  const listed = (['rule', 'said', 'changed', 'failed'] as const).flatMap((kind) =>
    [...found.values()].filter((line) => line.kind === kind).slice(-maxListed),
  );
  return [...own.map((text): MemoryLine => ({ kind: 'own', text, seq: null, isForgotten: false })), ...listed];
}

function parsed(json: string | null): MemoryEdits {
  try {
    return editsSchema.parse(JSON.parse(json ?? '{}'));
  } catch {
    return { own: [], forgotten: [] };
  }
}
