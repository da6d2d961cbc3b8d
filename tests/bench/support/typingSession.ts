import { setTimeout as sleep } from 'node:timers/promises';
import type { CompletionDocument, Suggestion } from '../../../src/completion/completionTypes';

/** A function that somebody types into a file. Each key with the milliseconds before it; `\b` takes one back. */
export interface Section {
  path: string;
  before: string;
  text: string;
  after: string;
  keys: [number, string][];
}

export interface Recording {
  sections: Section[];
}

/** A way to suggest, as the editor would call it. */
export interface Suggester {
  complete: (document: CompletionDocument, signal: AbortSignal) => Promise<Suggestion | undefined>;
  shown: (document: CompletionDocument, suggestion: Suggestion) => void;
  /** Nobody has typed for a second. */
  idle: (document: CompletionDocument) => void;
  /** Requests so far, speculation and reading ahead apart. */
  requests: () => number;
}

/** What was seen of a session. Milliseconds are those of the recording. */
export interface Seen {
  keys: number;
  /** Keys typed while a suggestion was on the screen, and those among them after which nothing was asked. */
  under: number;
  underForFree: number;
  /** From a key to its suggestion, where none was on the screen. */
  waits: number[];
  /** Milliseconds of this machine for answers that were there already. */
  remembered: number[];
  /** Milliseconds of the processor for which a key was held up. */
  blocked: number[];
  requests: number;
}

/** Plays a recording so many times as fast, and tells what somebody saw. */
export async function play(
  recording: Recording,
  suggester: Suggester,
  speed: number,
  onKey: (document: CompletionDocument) => void,
): Promise<Seen> {
  const seen: Seen = { keys: 0, under: 0, underForFree: 0, waits: [], remembered: [], blocked: [], requests: 0 };
  const first = suggester.requests();
  for (const { path, before, after, keys } of recording.sections) {
    let typed = '';
    let visible: { end: string } | undefined;
    let controller = new AbortController();
    for (const [gap, key] of keys) {
      if (gap > 1000) {
        await sleep(1000 / speed);
        suggester.idle(documentOf(path, before + typed, after));
      }
      await sleep((gap > 1000 ? gap - 1000 : gap) / speed);
      controller.abort();
      controller = new AbortController();
      const { signal } = controller;
      typed = key === '\b' ? typed.slice(0, -1) : typed + key;
      const document = documentOf(path, before + typed, after);
      onKey(document);
      seen.keys += 1;
      const wasVisible = visible !== undefined;
      if (visible?.end.startsWith(document.before) !== true) visible = undefined;
      const asked = suggester.requests();
      const began = performance.now();
      const used = threadTime();
      const answer = suggester.complete(document, signal);
      seen.blocked.push(threadTime() - used);
      void answer.then((suggestion) => {
        if (suggestion === undefined || signal.aborted) return;
        const took = performance.now() - began;
        // What is on the screen already is no news.
        if (visible === undefined) seen.waits.push(took * speed);
        visible = { end: document.before + suggestion.text };
        if (suggester.requests() === asked && took < 50) seen.remembered.push(took);
        suggester.shown(document, suggestion);
      });
      if (wasVisible) seen.under += 1;
      // What the key leads to comes before the next one.
      if (wasVisible)
        void sleep(Math.max(0, gap / speed - 1)).then(() => (seen.underForFree += suggester.requests() === asked ? 1 : 0));
    }
    await sleep(1500 / speed);
    controller.abort();
  }
  return { ...seen, requests: suggester.requests() - first };
}

/** Returns milliseconds of the processor that this thread has used: what else the machine does is not counted. */
export function threadTime(): number {
  const { user, system } = (process as unknown as { threadCpuUsage: () => NodeJS.CpuUsage }).threadCpuUsage();
  return (user + system) / 1000;
}

function documentOf(path: string, before: string, after: string): CompletionDocument {
  const lineCount = before.split('\n').length + after.split('\n').length - 1;
  return { uri: `file:///w/${path}`, path, languageId: 'typescript', before, after, lineCount };
}
