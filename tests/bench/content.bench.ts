import { chromium, type Browser } from 'playwright-core';
import { worstMarkdown } from '../support/worstMarkdown';
import { isOnce, many, report, type Goal } from './support/figures';
import { openViewPage } from './support/viewPage';

/**
 * Renders the whole view with extreme content: megabytes of text, endless lines, every script, hidden and hostile text. Measures how long
 * its page is blocked while it is opened and scrolled. The baseline is the simplest list of the same lines.
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
  /** Maximum ratio to the plain list. */
  most: number;
}

/** Kilobytes. */
const worstSizes = isOnce ? [16] : [16, 32, 64];

async function gallery(): Promise<Gallery> {
  const names = ['scenarios', 'content', 'page'];
  const parts = names.map(async (name) => (await import(`../../../scripts/gallery/${name}.mjs`)) as object);
  return Object.assign({}, ...(await Promise.all(parts))) as Gallery;
}

/**
 * Renders each of the worst texts at 16, 32 and 64 KB until layout, compared with the same text at 8 KB. The cost must grow no faster than
 * the length.
 */
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
        // Times below 4 ms are too short to compare.
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
