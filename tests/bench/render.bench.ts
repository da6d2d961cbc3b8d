import { median, report, type Goal } from './support/figures';
import { openViewPage } from './support/viewPage';

/** The view opening a session of 1,000 entries, against the plainest list that Vue makes of the same texts. In a browser, with layout. */

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

/** What the host sends of a session that is opened, in whole turns, see `src/views/sessionHandlers.ts`. */
const openedEntries = 300;

/** The view draws markdown where the list has bare text, but only of the last turns: in a long session it is to be ahead. */
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
    for (const { count, goal } of sizes) {
      const log = new LogBuilder();
      for (let turn = 1; log.entries.length < count; turn += 1) {
        log.user(`Question ${turn}`).thought('I should look at the file first.', 3);
        log.call(`c${turn}`, 'read_file', { path: `src/file${turn}.ts` }).result(`c${turn}`, 'read_file', 'line\n'.repeat(40));
        log.answer(answer.replaceAll('form', `form ${turn}`)).done();
      }
      const opened = log.entries.slice(-openedEntries);
      const texts = log.entries.map(({ content }) => content);
      const sessions: number[] = [];
      const lists: number[] = [];
      for (let round = 0; round < 9; round += 1) {
        const ready = { ...scenarios.ready.ready, sessionId: 's1' };
        sessions.push(await page.call('session', opened, opened.length < count, ready));
        lists.push(await page.call('plainList', texts));
      }
      report('render', `${count.toLocaleString('en')} entries`, 'ms', median(sessions.slice(2)), median(lists.slice(2)), goal);
    }
  } finally {
    await page.close();
  }
}

void main();
