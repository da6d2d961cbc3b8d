import { AxeBuilder } from '@axe-core/playwright';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import limits from '../../tests/limits.json' with { type: 'json' };
import { findBrowser } from '../lib/browser.mjs';
import { tryWorldFonts } from '../lib/systemPackages.mjs';
import { checkBehaviour, longScenario } from './behaviour.mjs';
import { checkContent, contentScenarios } from './content.mjs';
import { germanName, inGerman } from './german.mjs';
import { checkLow, checkNarrow, lowScenario, narrowScenario } from './narrow.mjs';
import { currentView, serve, themes } from './page.mjs';
import { scenarios } from './scenarios.mjs';

/*
 * Takes a screenshot of every designed state of the view in four themes and several widths into `screenshots/gallery`. Fails on axe
 * violations, targets that are too small, page errors and violations of the content security policy. Arguments select a part:
 * `node scripts/gallery/run.mjs [--no-build] [--german] [--theme dark,light] [--width 300] [scenario …]`.
 */
const root = join(import.meta.dirname, '..', '..');
const folder = join(root, 'screenshots', 'gallery');
const args = process.argv.slice(2);
const option = (name) => (args.includes(name) ? args.splice(args.indexOf(name), 2)[1] : undefined);
const shownThemes = option('--theme')?.split(',') ?? themes;
const onlyWidth = option('--width');
const isBuilt = args.includes('--no-build');
const isGerman = args.includes('--german');
/** Returns the name of a button or field in the language of the screenshots. */
const named = isGerman ? germanName : (name) => name;
const wanted = args.filter((arg) => !arg.startsWith('--'));

const unknown = wanted.filter((name) => !['content', 'low', 'narrow', ...Object.keys(scenarios)].includes(name));
if (unknown.length > 0) throw new Error(`There is no ${unknown.join(', ')} among the scenarios`);

mkdirSync(folder, { recursive: true });
if (wanted.length === 0 || wanted.includes('world')) await tryWorldFonts();

const pages = {
  ...scenarios,
  ...contentScenarios(scenarios.ready.ready),
  long: longScenario(scenarios.ready.ready),
  narrow: narrowScenario(scenarios),
  low: lowScenario(scenarios),
};
if (isGerman) for (const [name, page] of Object.entries(pages)) pages[name] = inGerman(page);
const { base, close } = await serve(pages, isBuilt ? undefined : currentView());
const browser = await chromium.launch({
  executablePath: findBrowser(),
  args: [
    ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
    ...['--disable-component-update', '--disable-sync'],
  ],
});
const problems = [];

async function perform(page, step) {
  const [verb, ...rest] = step.split(' ');
  const text = rest.join(' ');
  const name = named(text);
  if (verb === 'click') await page.getByRole('button', { name, exact: true }).click();
  else if (verb === 'open') await rowButton(page, name).click();
  else if (verb === 'over') await rowButton(page, name).hover();
  else if (verb === 'focus') await page.getByRole('button', { name, exact: true }).first().focus();
  else if (verb === 'key') await focusFirstRow(page).then(() => page.keyboard.press(text));
  else if (verb === 'top') await page.getByRole('log').evaluate((element) => (element.scrollTop = 0));
  else if (verb === 'write') await page.getByRole('textbox', { name: named('Message') }).fill(text);
  else if (verb === 'suggest')
    await page.evaluate(() =>
      window.__emit('inEditor', { items: [{ item: { kind: 'editor', path: 'src/validate.ts' }, isSent: true }] }),
    );
  else if (verb === 'position')
    await page.evaluate(([current, total]) => {
      const position = { current, total, path: '/workspace/src/signup.ts', additions: 3, deletions: 1 };
      window.__emit('reviewPosition', { sessionId: 's1', position });
    }, rest.map(Number));
  else if (verb === 'type') await page.getByRole('searchbox').fill(text);
  else if (verb === 'settle') await page.waitForTimeout(400);
  else if (verb === 'hover') await page.getByRole('button', { name, exact: true }).hover();
  else if (verb === 'show') await page.getByLabel(name).or(page.getByRole('button', { name })).first().scrollIntoViewIfNeeded();
  else if (verb === 'settings') await page.evaluate(() => window.__emit('navigate', { page: 'settings' }));
  else if (verb === 'tab') await page.getByRole('tab', { name, exact: true }).click();
  else if (verb === 'analytics') await page.evaluate(() => window.__emit('navigate', { page: 'analytics' }));
  else if (verb === 'history') await page.evaluate(() => window.__emit('navigate', { page: 'history' }));
}

/** Runs in the page. Returns the targets that are too small to click. Links inside text may be narrow. */
function tooSmall() {
  const least = 21.5;
  const isSeen = (element) => element.checkVisibility({ visibilityProperty: true }) && element.closest('.spoken') === null;
  return [...document.querySelectorAll('button, a[href], [role="button"], [role="option"], [role="tab"], [role="menuitem"]')]
    .filter(isSeen)
    .flatMap((element) => {
      const narrow = element.matches('a, .link') ? 0 : least;
      const rect = [...element.getClientRects()].find(({ width, height }) => width < narrow || height < least);
      if (rect === undefined) return [];
      const name = element.getAttribute('aria-label') ?? element.textContent.trim();
      return [`“${name}” is ${rect.width.toFixed(1)} × ${rect.height.toFixed(1)} px`];
    });
}

/** Runs in the page. Returns the parts of cards that hide text without a sign that they scroll. */
function hiddenText() {
  const hides = (element) =>
    /auto|scroll/.test(getComputedStyle(element).overflowY) && element.scrollHeight > element.clientHeight + 1;
  return [...document.querySelectorAll('.card[role="group"] *')]
    .filter((element) => hides(element) && getComputedStyle(element).maskImage === 'none')
    .map((element) => `“${element.textContent.trim().slice(0, 40)}” scrolls, but does not show that more text follows`);
}

const rowButton = (page, title) =>
  page
    .getByRole('list', { name: named('Sessions') })
    .getByRole('listitem')
    .filter({ hasText: title })
    .getByRole('button', { name: named('Open'), exact: true });
const focusFirstRow = (page) =>
  page
    .getByRole('list', { name: named('Sessions') })
    .getByRole('button')
    .first()
    .focus();

/** Opens a page that is reused for many screenshots, because a browser process for each would cost more than the screenshot. */
async function openPage() {
  // Axe opens a second page, which requires a separate context.
  const context = await browser.newContext({ reducedMotion: 'reduce' });
  context.setDefaultTimeout(limits.stateMinutes * 60_000);
  const page = await context.newPage();
  const shown = { page, scenario: undefined, note: undefined };
  page.on('request', (request) => {
    if (!request.url().startsWith(base)) shown.note(`asks for ${request.url()}`);
  });
  page.on('pageerror', (error) => shown.note(`page error: ${error.message}`));
  page.on('console', (message) => {
    if (message.type() === 'error' && shown.scenario.expectsReports !== true) shown.note(message.text());
  });
  return shown;
}

async function shoot(shown, name, theme, width) {
  const { page } = shown;
  const scenario = scenarios[name];
  const note = (text) => problems.push(`${name} ${theme} ${width}: ${text}`);
  Object.assign(shown, { scenario, note });
  try {
    await page.setViewportSize({ width, height: width === 900 ? 900 : 720 });
    // Moves the pointer away, so that nothing is hovered from the last screenshot.
    await page.mouse.move(0, 0);
    await page.goto(`${base}/${theme}/${name}/`);
    await page.locator('[data-ready="true"]').waitFor();
    await page.waitForTimeout(150);
    for (const step of scenario.do ?? []) {
      await perform(page, step);
      await page.waitForTimeout(100);
    }
    await page.evaluate(() => document.fonts.ready.then(() => undefined));
    await page.screenshot({ path: join(folder, `${name}-${theme}-${width}${isGerman ? '-de' : ''}.png`) });
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    if (overflow > 0) note(`scrolls sideways by ${overflow} px`);
    for (const small of await page.evaluate(tooSmall)) note(`${small}, 22 px at least`);
    for (const hidden of await page.evaluate(hiddenText)) note(hidden);
    if (width === 420) {
      const axe = new AxeBuilder({ page });
      // Themes differ in colours only, so the other checks run in one theme.
      if (theme !== shownThemes[0]) axe.withRules(['color-contrast', 'link-in-text-block']);
      const { violations } = await axe.analyze();
      for (const { id, help, nodes } of violations)
        note(
          `axe ${id}: ${help}\n    ${nodes.map(({ html, any }) => `${html.slice(0, 160)} ${any[0]?.message ?? ''}`).join('\n    ')}`,
        );
    }
  } catch (error) {
    note(String(error));
  }
}

const shots = Object.keys(scenarios)
  .filter((name) => wanted.length === 0 || wanted.includes(name))
  .flatMap((name) => shownThemes.map((theme) => ({ name, theme })))
  .flatMap((shot) => [300, 420, 900].map((width) => ({ ...shot, width })))
  .filter(({ width }) => onlyWidth === undefined || String(width) === onlyWidth);
const count = shots.length;
// Taking a screenshot is mostly waiting, so three run at the same time.
const atATime = Array.from({ length: 3 }, async () => {
  const shown = await openPage();
  for (let shot = shots.shift(); shot !== undefined; shot = shots.shift()) await shoot(shown, shot.name, shot.theme, shot.width);
  await shown.page.close();
});
await Promise.all(atATime);
if (wanted.length === 0 && !isGerman) {
  const page = await browser.newPage({ viewport: { width: 420, height: 720 } });
  problems.push(...(await checkBehaviour(page, `${base}/dark/long/`)));
}
if (wanted.length === 0 || wanted.includes('narrow'))
  problems.push(...(await checkNarrow(await browser.newPage(), `${base}/dark/narrow/`, folder)));
if (wanted.length === 0 || wanted.includes('low'))
  problems.push(...(await checkLow(await browser.newPage(), `${base}/dark/low/`, folder)));
if ((wanted.length === 0 && !isGerman) || wanted.includes('content')) problems.push(...(await checkContent(browser, base)));
await browser.close();
close();
console.log(`${count} pictures in screenshots/gallery`);
for (const problem of problems) console.error(problem);
process.exitCode = problems.length === 0 ? 0 : 1;
