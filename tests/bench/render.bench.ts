import { many, median, report, type Goal } from './support/figures';
import { openViewPage, type ViewPage } from './support/viewPage';

/**
 * Opens a session of 1,000 entries in the view as a user does, which shows its end. The baselines are the simplest Vue list of all texts,
 * and one of only the texts that the view has rendered. Also scrolls through 5,000 entries once all are on the page, compared with 200.
 * Runs in a browser, with layout.
 */

interface Gallery {
  LogBuilder: new () => Log;
  scenarios: { ready: { ready: object } };
  answer: string;
}
interface Log {
  entries: { content: string }[];
  user(text: string): Log;
  thought(text: string, seconds: number): Log;
  answer(text: string): Log;
  call(id: string, name: string, input: object): Log;
  result(id: string, name: string, content: string): Log;
  done(): Log;
}

/** Number of entries that the host sends for an opened session, in whole turns, see `src/views/handlers/sessionHandlers.ts`. */
const openedEntries = 300;

/** Number of screenfuls that are scrolled at a stretch. Each must fit into a frame. */
const screens = 20;

/** The view renders markdown where the list has bare text, but only for the last turns. In a long session it must be faster. */
const sizes: readonly { count: number; goal: Goal }[] = [
  { count: 1000, goal: 'ratio ≤ 4' },
  { count: 5000, goal: 'ratio ≤ 1' },
];

async function gallery(): Promise<Gallery> {
  const folder = '../../../scripts/gallery/';
  const load = async (name: string) => (await import(`${folder}${name}.mjs`)) as object;
  return Object.assign({}, await load('entries'), await load('scenarios'), await load('texts')) as Gallery;
}

async function main(): Promise<void> {
  const { LogBuilder, scenarios, answer } = await gallery();
  const page = await openViewPage();
  try {
    const ready = { ...scenarios.ready.ready, sessionId: 's1' };
    const entriesOf = (count: number) => {
      const log = new LogBuilder();
      for (let turn = 1; log.entries.length < count; turn += 1) {
        log.user(`Question ${turn}`).thought('I should look at the file first.', 3);
        log.call(`c${turn}`, 'read_file', { path: `src/file${turn}.ts` }).result(`c${turn}`, 'read_file', 'line\n'.repeat(40));
        log.answer(answer.replaceAll('form', `form ${turn}`)).done();
      }
      return log.entries;
    };
    for (const { count, goal } of sizes) {
      const entries = entriesOf(count);
      const opened = entries.slice(-openedEntries);
      const texts = entries.map(({ content }) => content);
      const sessions: number[] = [];
      const lists: number[] = [];
      const lastLists: number[] = [];
      let drawn = 0;
      for (let round = 0; round < many(9); round += 1) {
        const { took, drawnFrom } = await page.call('session', opened, opened.length < count, ready);
        drawn = entries.length - drawnFrom + 1;
        sessions.push(took);
        lists.push(await page.call('plainList', texts));
        lastLists.push(await page.call('plainList', texts.slice(-drawn)));
      }
      const [ours, list, lastList] = [sessions, lists, lastLists].map((times) => median(times.slice(2))) as [
        number,
        number,
        number,
      ];
      const title = `${count.toLocaleString('en')} entries, of which the view draws the last ${drawn}`;
      report('render', `${title}; a list of all`, 'ms', ours, list, goal);
      report('render', `${title}; a list of those`, 'ms', ours, lastList, 'none');
    }
    const short = await scrolled(page, entriesOf(200), ready);
    const long = await scrolled(page, entriesOf(5000), ready);
    report('render', 'a screenful scrolled, all 5,000 entries shown', 'ms', long, short, 'value ≤ 16');
  } finally {
    await page.close();
  }
}

/**
 * Returns the milliseconds of the page's thread per screenful, once the whole session is shown. The first pass creates the elements and
 * does not count.
 */
async function scrolled(page: ViewPage, entries: readonly unknown[], ready: unknown): Promise<number> {
  await page.call('openLong', entries, ready, true);
  await page.call('scrollLong', screens);
  const times: number[] = [];
  for (let round = 0; round < many(5); round += 1) {
    const before = await page.threadTime();
    await page.call('scrollLong', screens);
    times.push(((await page.threadTime()) - before) / screens);
  }
  await page.call('closeLong');
  return median(times);
}

void main();
