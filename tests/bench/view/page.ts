import { createApp, defineComponent, h, nextTick, ref, type Component, type VNode } from 'vue';
import type { HostApi } from '../../../src/protocol/hostApi';
import type { Entry } from '../../../src/protocol/entries';
import { connectHost, type Channel } from '../../../src/protocol/rpc';
import App from '../../../src/webview/App.vue';
import MarkdownText from '../../../src/webview/markdown/MarkdownText.vue';
import { connectToHost, hostKey } from '../../../src/webview/common/useHost';
import { setViewTexts } from '../../../src/webview/translate';
import '../../../src/webview/theme.css';
import '../../../src/webview/markdown/prose.css';

/** Runs in the browser and provides the measurements for the view benchmarks. Times are milliseconds, including the layout they cause. */

/** Measures each piece of a text that streams into one page, after the existing text `before`. */
async function grow(before: string, pieces: readonly string[], draw: (text: string) => VNode): Promise<number[]> {
  const text = ref(before);
  const page = show(defineComponent(() => () => draw(text.value)));
  await nextTick();
  page.layOut();
  const times: number[] = [];
  for (const piece of pieces) {
    const start = performance.now();
    text.value += piece;
    await nextTick();
    page.layOut();
    times.push(performance.now() - start);
  }
  page.remove();
  return times;
}

const stream = (before: string, pieces: readonly string[]) =>
  grow(before, pieces, (text) => h(MarkdownText, { text, isOpen: true }));

/** Like `stream`, but into the simplest page: one element with only the text. */
const plainStream = (before: string, pieces: readonly string[]) =>
  grow(before, pieces, (text) => h('div', { class: 'plain' }, text));

/** Measures the rendering of a text that is not on the page yet. */
async function whole(text: string): Promise<number> {
  const start = performance.now();
  const page = show(defineComponent(() => () => h(MarkdownText, { text, isOpen: true })));
  await nextTick();
  page.layOut();
  const took = performance.now() - start;
  page.remove();
  return took;
}

/**
 * Measures from mounting the view until a session is on the page, as when a user opens it. For a long session, the host sends the last
 * turns, `entries`. The view renders them from the entry `drawnFrom`.
 */
async function session(
  entries: readonly Entry[],
  hasEarlier: boolean,
  ready: object,
): Promise<{ took: number; drawnFrom: number }> {
  const [hostEnd, viewEnd] = channelPair();
  const answers = {
    ready: async () => ready,
    openSession: async () => ({
      session: { id: 's1', title: 'A session', mode: 'agent', model: null, state: 'idle', createdAt: 0, updatedAt: 0 },
      entries,
      hasEarlier,
      revision: entries.at(-1)?.revision ?? 0,
      run: { sessionId: 's1', state: 'idle', activity: null },
    }),
  };
  const api = new Proxy(answers, { get: (own, name): unknown => Reflect.get(own, name) ?? (async () => ({})) });
  connectHost(hostEnd, api as unknown as HostApi, (problem) => console.error(problem));
  const start = performance.now();
  const deadline = start + 60_000;
  const page = show(App, { store: { read: () => undefined, write: () => undefined } }, viewEnd);
  while (page.root.querySelector('article') === null) {
    if (performance.now() > deadline) throw new Error(`The session does not show: ${page.root.textContent}`);
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  await nextTick();
  page.layOut();
  const took = performance.now() - start;
  const drawnFrom = Number(page.root.querySelector<HTMLElement>('[data-turn]')?.dataset['turn']);
  page.remove();
  return { took, drawnFrom };
}

let long: { remove(): void; scroller: HTMLElement } | undefined;

/** Opens a session and keeps it open. With `isWhole`, loads all of it, as when a user scrolls up to its beginning. */
async function openLong(entries: readonly Entry[], ready: object, isWhole: boolean): Promise<void> {
  const { page, scroller } = await opened(entries, ready);
  long = { remove: page.remove, scroller };
  for (let frames = 0; isWhole && page.root.querySelector('[data-turn="1"]') === null; frames += 1) {
    if (frames > 20_000) throw new Error('The beginning does not come');
    scroller.dispatchEvent(new WheelEvent('wheel', { deltaY: -1 }));
    scroller.scrollTop = 0;
    await frame();
  }
}

/** Scrolls up by `screens` screenfuls from the end, one per frame. */
async function scrollLong(screens: number): Promise<void> {
  if (long === undefined) return;
  const { scroller } = long;
  scroller.scrollTop = scroller.scrollHeight;
  for (let screen = 0; screen < screens; screen += 1) {
    await frame();
    scroller.scrollTop -= scroller.clientHeight;
  }
  await frame();
}

async function closeLong(): Promise<void> {
  long?.remove();
  long = undefined;
  return Promise.resolve();
}

async function opened(entries: readonly Entry[], ready: object) {
  const [hostEnd, viewEnd] = channelPair();
  const pageBefore = (before: number, limit: number) => {
    const at = entries.findIndex(({ seq, type }) => type === 'user_input' && seq >= before - limit);
    const end = entries.findIndex(({ seq }) => seq >= before);
    return { entries: entries.slice(Math.max(0, at), end === -1 ? undefined : end), hasEarlier: at > 0 };
  };
  const answers = {
    ready: async () => ready,
    openSession: async () => ({
      session: { id: 's1', title: 'A session', mode: 'agent', model: null, state: 'idle', createdAt: 0, updatedAt: 0 },
      ...pageBefore(entries.length + 1, 300),
      revision: entries.at(-1)?.revision ?? 0,
      run: { sessionId: 's1', state: 'idle', activity: null },
    }),
    earlierEntries: async ({ beforeSeq, limit }: { beforeSeq: number; limit: number }) => pageBefore(beforeSeq, limit),
  };
  const api = new Proxy(answers, { get: (own, name): unknown => Reflect.get(own, name) ?? (async () => ({})) });
  connectHost(hostEnd, api as unknown as HostApi, (problem) => console.error(problem));
  const page = show(App, { store: { read: () => undefined, write: () => undefined } }, viewEnd);
  while (page.root.querySelector('article') === null) await new Promise((resolve) => setTimeout(resolve, 0));
  await frame();
  const scroller = page.root.querySelector<HTMLElement>('[role="log"]');
  if (scroller === null) throw new Error('There is no conversation');
  return { page, scroller };
}

function frame(): Promise<number> {
  return new Promise((resolve) => requestAnimationFrame(resolve));
}

/** Measures the same texts in the simplest Vue list. */
async function plainList(texts: readonly string[]): Promise<number> {
  const start = performance.now();
  const copy = structuredClone(texts);
  const page = show(
    defineComponent(
      () => () =>
        h(
          'ul',
          copy.map((text, key) => h('li', { key }, text)),
        ),
    ),
  );
  await nextTick();
  page.layOut();
  const took = performance.now() - start;
  page.remove();
  return took;
}

function show(component: Component, props: Record<string, unknown> = {}, channel?: Channel) {
  const root = document.createElement('div');
  root.id = 'app';
  document.body.append(root);
  const app = createApp(component, props);
  if (channel !== undefined) app.provide(hostKey, connectToHost(channel));
  app.mount(root);
  return {
    root,
    layOut: () => void root.offsetHeight,
    remove: () => {
      app.unmount();
      root.remove();
      setViewTexts({});
    },
  };
}

/** Returns two ends of a channel that copies messages, as the editor does. */
function channelPair(): [Channel, Channel] {
  const ends = [new MessageChannel()].flatMap(({ port1, port2 }) => [port1, port2]) as [MessagePort, MessagePort];
  return ends.map((port) => ({
    post: (message: unknown) => port.postMessage(message),
    onMessage: (listener: (message: unknown) => void) => {
      port.onmessage = ({ data }) => listener(data);
    },
  })) as [Channel, Channel];
}

Object.assign(window, { measures: { stream, plainStream, whole, session, openLong, scrollLong, closeLong, plainList } });
