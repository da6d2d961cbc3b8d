import { setTimeout as sleep } from 'node:timers/promises';
import type { CompletionDocument, Suggestion } from '../../../src/completion/completionTypes';

/** Function that a user types into a file. Each key has the milliseconds before it; `\b` deletes the last character. */
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

/** Source of suggestions, called the way the editor calls it. */
export interface Suggester {
  complete: (document: CompletionDocument, signal: AbortSignal) => Promise<Suggestion | undefined>;
  shown: (document: CompletionDocument, suggestion: Suggestion) => void;
  /** Reports that the user has not typed for a second. */
  idle: (document: CompletionDocument) => void;
  /** Returns the number of requests so far, without speculation and reading ahead. */
  requests: () => number;
}

/** Results of a session. Milliseconds are in the time of the recording. */
export interface Seen {
  keys: number;
  /** Keys typed while a suggestion was visible. `underForFree`: those that caused no request. */
  under: number;
  underForFree: number;
  /** Waiting times from a key to its suggestion, if none was visible. */
  waits: number[];
  /** Milliseconds in real time for suggestions that needed no request. */
  remembered: number[];
  /** CPU milliseconds that a key was blocked. */
  blocked: number[];
  requests: number;
}

/** Replays a recording at `speed` times its speed and returns the user's experience as figures. */
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
        // A suggestion that is already visible does not count as a wait.
        if (visible === undefined) seen.waits.push(took * speed);
        visible = { end: document.before + suggestion.text };
        if (suggester.requests() === asked && took < 50) seen.remembered.push(took);
        suggester.shown(document, suggestion);
      });
      if (wasVisible) seen.under += 1;
      // Requests that this key causes are sent before the next key.
      if (wasVisible)
        void sleep(Math.max(0, gap / speed - 1)).then(() => (seen.underForFree += suggester.requests() === asked ? 1 : 0));
    }
    await sleep(1500 / speed);
    controller.abort();
  }
  return { ...seen, requests: suggester.requests() - first };
}

/** Returns the CPU milliseconds of this thread, so that other load on the machine does not count. */
export function threadTime(): number {
  const { user, system } = (process as unknown as { threadCpuUsage: () => NodeJS.CpuUsage }).threadCpuUsage();
  return (user + system) / 1000;
}

function documentOf(path: string, before: string, after: string): CompletionDocument {
  const lineCount = before.split('\n').length + after.split('\n').length - 1;
  return { uri: `file:///w/${path}`, path, languageId: 'typescript', before, after, lineCount };
}
