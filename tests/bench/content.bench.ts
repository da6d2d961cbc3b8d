import { chromium, type Browser } from 'playwright-core';
import { worstMarkdown } from '../support/worstMarkdown';
import { isOnce, many, report, type Goal } from './support/figures';
import { openViewPage } from './support/viewPage';

/**
 * The whole view with more than anybody reads in it: megabytes, lines without end, every script, what is hidden and what is hostile. For
 * how long its page is busy at a stretch while it is opened and scrolled through, against the plainest list of the same lines.
 */

interface Gallery {
  scenarios: { ready: { ready: object } };
  contentScenarios: (ready: object) => object;
  serve: (scenarios: object) => Promise<{ base: string; close: () => void }>;
  measureContent: (browser: Browser, base: string) => Promise<{ figures: Measured[]; problems: string[] }>;
}
interface Measured {
  name: string;
  /** Milliseconds. */
  ours: number;
  plain: number;
  /** Times the plain list's. */
  most: number;
}

/** Kilobytes. */
const worstSizes = isOnce ? [16] : [16, 32, 64];

async function gallery(): Promise<Gallery> {
  const names = ['scenarios', 'content', 'page'];
  const parts = names.map(async (name) => (await import(`../../../scripts/gallery/${name}.mjs`)) as object);
  return Object.assign({}, ...(await Promise.all(parts))) as Gallery;
}

/** Each of the worst texts at 16, 32 and 64 KB beside the same at 8 KB, until it is laid out: nothing costs more than its length. */
async function worstTexts(): Promise<void> {
  const page = await openViewPage();
  const fastest = async (text: string) => {
    const times: number[] = [];
    for (let round = 0; round < many(3); round += 1) times.push(await page.call('whole', text.replace('a', String(round))));
    return Math.min(...times);
  };
  try {
    for (const [name, make] of Object.entries(worstMarkdown)) {
      const base = await fastest(make(8192));
      for (const size of worstSizes) {
        const goal: Goal = `ratio ≤ ${(size / 8) * 1.25}`;
        // What takes hardly any time says nothing.
        report('content', `${size} KB of ${name}`, 'ms', await fastest(make(size * 1024)), Math.max(base, 4), goal);
      }
    }
  } finally {
    await page.close();
  }
}

async function main(): Promise<void> {
  await worstTexts();
  const { scenarios, contentScenarios, serve, measureContent } = await gallery();
  const { base, close } = await serve({ ...scenarios, ...contentScenarios(scenarios.ready.ready) });
  const browser = await chromium.launch({
    executablePath: process.env['OLLAMA_COPILOT_BROWSER'] ?? 'chromium',
    args: ['--no-sandbox', '--disable-gpu', '--no-first-run', '--disable-background-networking', '--disable-component-update'],
  });
  try {
    const { figures, problems } = await measureContent(browser, base);
    for (const { name, ours, plain, most } of figures) report('content', name, 'ms', ours, plain, `ratio ≤ ${most}` as Goal);
    for (const problem of problems) console.error(problem);
    process.exitCode = problems.length;
  } finally {
    await browser.close();
    close();
  }
}

void main();
