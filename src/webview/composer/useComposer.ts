import { computed, shallowRef, type Ref } from 'vue';
import { type StateStore, keep, recordOf } from '../hostConnection';

interface Kept {
  drafts: Readonly<Record<string, string>>;
  /** Time at which each was written last, in milliseconds since 1970. */
  writtenAt: Readonly<Record<string, number>>;
}

/** Words of a session, or of an empty chat, that were there when the view came up. */
export interface Draft {
  sessionId: string | null;
  text: string;
  since: number;
}

/** A message of the conversation that is being said in other words. */
export interface MessageEdit {
  seq: number;
  text: string;
}

/** Keeps what a person has typed and not sent, one text and one edit per session; it survives a reload of the view. */
export function useComposer(store: StateStore, sessionId: Ref<string | null>) {
  const kept = shallowRef<Kept>(parse(store.read()));
  const key = computed(() => sessionId.value ?? '');

  const draft = computed({
    get: () => kept.value.drafts[key.value] ?? '',
    set: (text: string) => write(key.value, text),
  });

  /**
   * Kept beside the draft, under `<session>#<seq>`: the one begun last. One that is opened while another is open leaves that one's words
   * where they are; they are there again when it is opened, or when the other is given up.
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

  /** Keeps the text of an edit, which may be empty and still be one. */
  function writeEdit(seq: number, text: string | null): void {
    write(`${key.value}#${seq}`, text === null ? '' : `=${text}`);
  }

  /** Forgets edits that are out of the conversation: a message sent in other words takes those after it out, and what was begun there. */
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

  /** Puts words of `since` back before what has been written there since. What it returns takes them out again, unless somebody wrote on. */
  function giveBack(text: string, of: string | null, since?: number): () => void {
    const written = draftOf(of);
    if (written.trim() === '') write(of ?? '', text, since);
    else write(of ?? '', `${text}\n\n${written}`);
    const both = draftOf(of);
    return () => draftOf(of) === both && write(of ?? '', written);
  }

  /** Hands the draft of a session, or of the empty chat (null), to another one. */
  function handOver(of: string | null, to: string | null = null): void {
    const [text, since] = [draftOf(of), writtenAt(of)];
    write(of ?? '', '');
    if (text !== '') giveBack(text, to, since);
  }

  /**
   * Lets go of what had been sent already: the editor keeps the state of a view only now and then, and may bring back an earlier one.
   * Returns the sessions, null for an empty chat, whose whole message it was.
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
  const { drafts: texts, writtenAt } = recordOf(state);
  const drafts = Object.entries(recordOf(texts)).filter((pair): pair is [string, string] => typeof pair[1] === 'string');
  const times = Object.entries(recordOf(writtenAt)).filter((pair): pair is [string, number] => typeof pair[1] === 'number');
  const known = new Set(drafts.map(([id]) => id));
  return { drafts: Object.fromEntries(drafts), writtenAt: Object.fromEntries(times.filter(([id]) => known.has(id))) };
}
