import { chromium, type Browser } from 'playwright-core';
import { report, type Goal } from './support/figures';

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

async function gallery(): Promise<Gallery> {
  const names = ['scenarios', 'content', 'page'];
  const parts = names.map(async (name) => (await import(`../../../scripts/gallery/${name}.mjs`)) as object);
  return Object.assign({}, ...(await Promise.all(parts))) as Gallery;
}

async function main(): Promise<void> {
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
