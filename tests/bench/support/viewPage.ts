import path from 'node:path';
import { chromium } from 'playwright-core';

/** Functions that `tests/bench/view/page.ts` adds to its window. */
export interface Measures {
  stream(before: string, pieces: readonly string[]): Promise<number[]>;
  plainStream(before: string, pieces: readonly string[]): Promise<number[]>;
  whole(text: string): Promise<number>;
  session(entries: readonly unknown[], hasEarlier: boolean, ready: unknown): Promise<{ took: number; drawnFrom: number }>;
  openLong(entries: readonly unknown[], ready: unknown, isWhole: boolean): Promise<void>;
  scrollLong(screens: number): Promise<void>;
  closeLong(): Promise<void>;
  plainList(texts: readonly string[]): Promise<number>;
}

export interface ViewPage {
  call<K extends keyof Measures>(name: K, ...args: Parameters<Measures[K]>): Promise<Awaited<ReturnType<Measures[K]>>>;
  /** Resolves with the CPU milliseconds that the page's thread has used so far. */
  threadTime(): Promise<number>;
  close(): Promise<void>;
}

const built = path.join(__dirname, '../../../bench/view');

/** Opens the page in a browser of the width of a side bar. `scripts/bench.mjs` builds the page and sets the browser. */
export async function openViewPage(): Promise<ViewPage> {
  const browser = await chromium.launch({
    executablePath: process.env['OLLAMA_COPILOT_BROWSER'] ?? 'chromium',
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update'],
  });
  const page = await browser.newPage({ viewport: { width: 420, height: 900 } });
  page.on('pageerror', (error) => console.error(error));
  await page.setContent('<!DOCTYPE html><html><body></body></html>');
  await page.addStyleTag({ path: path.join(built, 'page.css') });
  await page.addScriptTag({ path: path.join(built, 'page.js') });
  const inspector = await page.context().newCDPSession(page);
  await inspector.send('Performance.enable', { timeDomain: 'threadTicks' });
  return {
    threadTime: async () => {
      const { metrics } = await inspector.send('Performance.getMetrics');
      return (metrics.find(({ name }) => name === 'TaskDuration')?.value ?? Number.NaN) * 1000;
    },
    call: (name, ...args) =>
      page.evaluate(
        ([method, values]) => {
          const { measures } = window as unknown as { measures: Record<string, (...given: unknown[]) => unknown> };
          return measures[method]?.(...values);
        },
        [name, args] as [string, unknown[]],
      ) as never,
    close: () => browser.close(),
  };
}
