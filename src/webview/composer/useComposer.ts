import { computed, shallowRef, type Ref } from 'vue';
import { type StateStore, keep, asRecord } from '../hostConnection';

interface Kept {
  drafts: Readonly<Record<string, string>>;
  /** Time of the last change of each edit, in milliseconds since 1970. */
  writtenAt: Readonly<Record<string, number>>;
}

/** Draft from before a reload, in a session or in an empty chat. */
export interface Draft {
  sessionId: string | null;
  text: string;
  since: number;
}

export interface MessageEdit {
  seq: number;
  text: string;
}

/** Stores drafts and edits of each session across reloads. */
export function useComposer(store: StateStore, sessionId: Ref<string | null>) {
  const kept = shallowRef<Kept>(parse(store.read()));
  const key = computed(() => sessionId.value ?? '');

  const draft = computed({
    get: () => kept.value.drafts[key.value] ?? '',
    set: (text: string) => write(key.value, text),
  });

  /**
   * Most recently opened edit. Stored next to the draft as `<session>#<seq>`. An earlier unfinished edit is kept until
   * the user opens it again or cancels the current edit.
   */
  const edit = computed({
    get: () => edits().at(-1) ?? null,
    set: (next: MessageEdit | null) => {
      const shown = edit.value;
      if (next === null) {
        if (shown !== null) writeEdit(shown.seq, null);
        return;
      }
      const before = next.seq === shown?.seq ? undefined : edits().find(({ seq }) => seq === next.seq);
      writeEdit(next.seq, before?.text ?? next.text);
    },
  });

  function edits(): MessageEdit[] {
    return Object.entries(kept.value.drafts)
      .filter(([id]) => id.startsWith(`${key.value}#`))
      .map(([id, text]) => ({ seq: Number(id.slice(key.value.length + 1)), text: text.slice(1) }));
  }

  /** Stores the text of an edit. The text can be empty. */
  function writeEdit(seq: number, text: string | null): void {
    write(`${key.value}#${seq}`, text === null ? '' : `=${text}`);
  }

  /** Deletes edits of messages that a resent message removed from the chat. */
  function forgetEditsFrom(first: number): void {
    for (const { seq } of edits()) if (seq >= first) writeEdit(seq, null);
  }

  function write(of: string, text: string, at = Date.now()): void {
    const others = Object.entries(kept.value.drafts).filter(([id]) => id !== of);
    const drafts = Object.fromEntries(text === '' ? others : [...others, [of, text]]);
    const times = Object.entries(kept.value.writtenAt).filter(([id]) => id !== of && id in drafts);
    kept.value = { drafts, writtenAt: Object.fromEntries(text === '' ? times : [...times, [of, at]]) };
    keep(store, kept.value);
  }

  const draftOf = (of: string | null) => kept.value.drafts[of ?? ''] ?? '';
  const writtenAt = (of: string | null) => kept.value.writtenAt[of ?? ''] ?? Date.now();

  /**
   * Inserts a text that was written at `since` before any newer text. Returns a function that removes the text again, unless
   * the user changed the draft.
   */
  function giveBack(text: string, of: string | null, since?: number): () => void {
    const written = draftOf(of);
    if (written.trim() === '') write(of ?? '', text, since);
    else write(of ?? '', `${text}\n\n${written}`);
    const both = draftOf(of);
    return () => draftOf(of) === both && write(of ?? '', written);
  }

  /** Moves a draft to another session. Null is the empty chat. */
  function handOver(of: string | null, to: string | null = null): void {
    const text = draftOf(of);
    const since = writtenAt(of);
    write(of ?? '', '');
    if (text !== '') giveBack(text, to, since);
  }

  /**
   * Deletes drafts that were already sent. The editor rarely saves the state of a view and can restore an old state. Returns
   * the sessions whose whole draft was sent. Null represents an empty chat.
   */
  async function forgetSent(wasSent: (draft: Draft) => Promise<'whole' | 'begun' | null>): Promise<(string | null)[]> {
    const asked = Object.entries(kept.value.writtenAt).map(async ([of, since]) => {
      const [sessionId = '', isEdit] = of.split('#');
      const text = kept.value.drafts[of] ?? '';
      const sent = await wasSent({ sessionId: sessionId || null, text: isEdit ? text.slice(1) : text, since });
      if (sent === null) return [];
      if (kept.value.writtenAt[of] !== since) return [];
      write(of, '');
      return isEdit || sent === 'begun' ? [] : [sessionId || null];
    });
    return (await Promise.all(asked)).flat();
  }

  return { draft, draftOf, writtenAt, edit, forgetEditsFrom, forgetSent, giveBack, handOver };
}

function parse(state: unknown): Kept {
  const { drafts: texts, writtenAt } = asRecord(state);
  const drafts = Object.entries(asRecord(texts)).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  const times = Object.entries(asRecord(writtenAt)).filter((pair): pair is [string, number] => typeof pair[1] === 'number');
  const known = new Set(drafts.map(([id]) => id));
  return { drafts: Object.fromEntries(drafts), writtenAt: Object.fromEntries(times.filter(([id]) => known.has(id))) };
}
