import { LogBuilder } from './entries.mjs';
import { answer, hostile, invisible, world } from './texts.mjs';

/** Scales sizes. A short benchmark round uses one fiftieth of everything, so its figures are meaningless. */
const large = (usual) => (process.env.BENCH_ONCE === '1' ? Math.ceil(usual / 50) : usual);

const line = 'x'.repeat(large(200_000));
const code = Array.from({ length: large(10_000) }, (_, index) => `  ["key_${index}", ${index * 37}],`).join('\n');
const lines = Array.from({ length: large(40_000) }, (_, index) => `line ${index} of some output that goes on and on`).join('\n');
const longAnswer = `${answer}\n\n`.repeat(Math.ceil(large(2_000_000) / answer.length));

/** Content that is longer than anybody reads, in every place that can show content. */
const contents = {
  answer: (log) => log.user('Long', 'ask').answer(longAnswer),
  code: (log) => log.user('Code', 'ask').answer(`Here it is:\n\n\`\`\`js\n${code}\n\`\`\`\n\nDone.`),
  line: (log) => log.user('Line', 'ask').answer(`${line}\n\n\`\`\`\n${line}\n\`\`\`\n\n- ${line}`),
  message: (log) => log.user(`${lines}\n${line}`, 'ask').answer('Understood.'),
  output: (log) =>
    log
      .user('Run it')
      .call('c1', 'run_terminal_command', { command: `echo ${line}` }, `echo ${line}`)
      .result('c1', 'run_terminal_command', `${lines}\n${line}`, { display: `${lines}\n${line}`, details: { exitCode: 0 } }),
  thinking: (log) =>
    log
      .user('Think')
      .thought(`${lines}\n\n${answer.repeat(large(200))}`, 9)
      .answer('So.'),
  world: (log) => log.user(world.repeat(large(300)), 'ask').answer(`${world}\n\n`.repeat(large(1000))),
  invisible: (log) => log.user(invisible.repeat(large(200)), 'ask').answer(`${invisible}\n\n`.repeat(large(1000))),
  hostile: (log) => log.user(hostile.repeat(large(200)), 'ask').answer(`${hostile}\n\n`.repeat(large(500))),
  'hostile-tools': (log) =>
    log
      .user('Try it')
      .thought(hostile, 3)
      .call('c1', 'read_file', { path: hostile }, hostile)
      .result('c1', 'read_file', hostile, { summary: hostile, display: hostile })
      .call('c2', 'run_terminal_command', { command: hostile }, hostile)
      .result('c2', 'run_terminal_command', hostile, { display: hostile, details: { exitCode: 1 } })
      .answer(hostile),
};

export function contentScenarios(ready) {
  const growing = new LogBuilder().user('Long', 'ask').answer(longAnswer, true);
  const run = { state: 'running', activity: { kind: 'answering', since: Date.now() } };
  const scenario = (snapshot) => ({
    ready: { ...ready, sessionId: 's1' },
    sessions: { s1: snapshot },
    history: [],
    state: undefined,
  });
  const whole = Object.entries(contents).map(([name, fill]) => [
    `content-${name}`,
    scenario(fill(new LogBuilder()).done().snapshot()),
  ]);
  return Object.fromEntries([...whole, ['content-growing', scenario(growing.snapshot(run))]]);
}

/** Maximum ratio to the time for a plain list. Allows for other load on the machine. */
const most = 2.5;

/**
 * Measures the longest time in milliseconds that the page is busy with each content, compared with a plain list of the same lines.
 * `problems` lists requests to other addresses and errors of the page.
 */
export async function measureContent(browser, base) {
  const figures = [];
  const problems = [];
  for (const name of Object.keys(contents)) {
    const page = await browser.newPage({ viewport: { width: 420, height: 720 } });
    page.on('request', (request) => {
      if (!request.url().startsWith(base)) problems.push(`content ${name}: asks for ${request.url()}`);
    });
    page.on('pageerror', (error) => problems.push(`content ${name}: ${error.message}`));
    await page.addInitScript(watchLongTasks);
    const plain = await longest(page, `${base}/dark/ready/`, showPlainList, textsOf(name));
    const ours = await longest(page, `${base}/dark/content-${name}/`, scrollThrough);
    figures.push({ name, ours, plain, most });
    await page.close();
  }
  figures.push({ name: 'growing', ...(await measureGrowth(browser, base)), most: 1 });
  return { figures, problems };
}

/** Prints the figures. Returns the problems. */
export async function checkContent(browser, base) {
  const { figures, problems } = await measureContent(browser, base);
  for (const { name, ours, plain, most } of figures) {
    console.log(`content ${name}: busy for ${ours.toFixed(1)} ms, as plain text ${plain.toFixed(1)} ms`);
    if (ours > most * plain) problems.push(`content ${name}: busy for ${(ours / plain).toFixed(1)} times the time of plain text`);
  }
  return problems;
}

/** Measures the cost of one more piece of a 2 MB answer in the whole view, compared with a plain element with the same text. */
async function measureGrowth(browser, base) {
  const page = await browser.newPage({ viewport: { width: 420, height: 720 } });
  await page.goto(`${base}/dark/content-growing/`);
  await page.getByRole('article').nth(1).waitFor();
  await page.waitForTimeout(500);
  const [ours, plain] = await page.evaluate(grow);
  await page.close();
  return { ours, plain };
}

/** Returns the median times in milliseconds from adding a piece until the page is laid out. */
async function grow() {
  const entries = window.__gallery.scenario.sessions.s1.entries;
  const { seq, content } = entries[entries.length - 1];
  const log = document.querySelector('[role=log]');
  const median = (times) => times.sort((a, b) => a - b)[times.length >> 1];
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
  const ours = [];
  let offset = content.length;
  for (let piece = 0; piece < 40; piece += 1) {
    const text = piece % 9 === 8 ? ' words.\n\n' : ' some words';
    await frame();
    const start = performance.now();
    // Includes the host's message, the reducer and rendering in the next frame. `frame` resolves after that frame is laid out.
    window.__emit('log', { kind: 'delta', sessionId: 's1', seq, offset, text });
    await frame();
    void log.scrollHeight;
    ours.push(performance.now() - start);
    offset += text.length;
  }
  const idle = [];
  for (let piece = 0; piece < 20; piece += 1) {
    await frame();
    const start = performance.now();
    await frame();
    idle.push(performance.now() - start);
  }
  const element = document.createElement('div');
  element.style.whiteSpace = 'pre-wrap';
  const node = element.appendChild(document.createTextNode(content));
  document.body.replaceChildren(element);
  void element.offsetHeight;
  const plain = [];
  for (let piece = 0; piece < 10; piece += 1) {
    await frame();
    const start = performance.now();
    node.appendData(' some words');
    void element.offsetHeight;
    await frame();
    plain.push(performance.now() - start);
  }
  return [median(ours) - median(idle), median(plain) - median(idle)];
}

const textsOf = (name) => contents[name](new LogBuilder()).entries.map((entry) => entry.content + JSON.stringify(entry.data));

/** Returns the longest task while the page opens and `work` runs in it. The browser does not report tasks shorter than 50 ms. */
async function longest(page, address, work, argument) {
  await page.goto(address);
  await page.locator('[data-ready="true"]').waitFor({ timeout: 60_000 });
  await page.waitForTimeout(300);
  await page.evaluate(work, argument);
  await page.waitForTimeout(300);
  return page.evaluate(() => window.__longest);
}

function watchLongTasks() {
  window.__longest = 50;
  new PerformanceObserver((list) => {
    for (const { duration } of list.getEntries()) window.__longest = Math.max(window.__longest, duration);
  }).observe({ type: 'longtask', buffered: true });
}

async function showPlainList(texts) {
  const list = document.createElement('ul');
  list.style.whiteSpace = 'pre-wrap';
  await new Promise((resolve) => setTimeout(resolve, 50));
  for (const text of texts.flatMap((whole) => whole.split(/\n|\\n/)))
    list.appendChild(document.createElement('li')).textContent = text;
  document.body.replaceChildren(list);
  void list.offsetHeight;
  await new Promise((resolve) => setTimeout(resolve, 50));
}

/** Scrolls to the beginning page by page, and back. */
async function scrollThrough() {
  const log = document.querySelector('[role=log]');
  const frame = () => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
  for (let step = 0; step < 30 && log.scrollTop > 0; step += 1) {
    log.scrollTop -= log.clientHeight;
    await frame();
  }
  log.scrollTop = 0;
  for (let step = 0; step < 20; step += 1) {
    log.scrollTop += log.clientHeight;
    await frame();
  }
}
