import { join } from 'node:path';

const widths = [195, 220, 300];
const height = 800;
/** Minimum visible width in pixels that distinguishes a model's name from others. */
const leastName = 70;

/** A chat with every bar open that can appear above the composer. */
export function narrowScenario({
  restored,
  changes,
  todos,
  'work-session': workSession,
  'thinking-levels': thinking,
  'queued-held': held,
}) {
  const ready = { ...thinking.ready, sessionId: 's1', connection: { ...thinking.ready.connection, demo: true } };
  return {
    ...restored,
    ready,
    changed: changes.changed,
    workSession: workSession.workSession,
    background: todos.background,
    queued: held.queued,
    do: [],
  };
}

/** A chat with a long message that has many attachments. */
export function lowScenario({ restored, 'thinking-levels': thinking }) {
  const text = Array.from({ length: 6 }, (_, index) => `Line ${index + 1} of the message`).join('\n');
  const attachments = Array.from({ length: 7 }, (_, index) => ({ kind: 'file', path: `src/component${index + 1}.ts` }));
  const ready = { ...thinking.ready, sessionId: 's1' };
  return { ...restored, ready, state: { drafts: { s1: text }, attachments: { s1: attachments } }, do: [] };
}

/** Checks that a view with little height shows the whole composer. Returns the problems. */
export async function checkLow(page, address, folder) {
  const problems = [];
  for (const low of [240, 320, 800]) {
    const expect = (isSo, what) => void (isSo || problems.push(`low ${low}: ${what}`));
    await page.setViewportSize({ width: 300, height: low });
    await page.goto(address);
    const message = page.getByRole('textbox', { name: 'Message' });
    await message.fill(`${await message.inputValue()}\nAsk @vscode `);
    await page.getByText('@vscode is not attached').waitFor();
    await page.screenshot({ path: join(folder, `low-${low}.png`) });
    const send = await page.getByRole('button', { name: 'Send', exact: true }).boundingBox();
    expect(send.y + send.height <= low, `Send ends at ${send.y + send.height} px`);
    const field = await message.boundingBox();
    expect(field.height >= 40, `the text has ${field.height} px`);
    const composer = await page.locator('.input-card.composer').boundingBox();
    expect(composer.y >= 0 && composer.y + composer.height <= low, `the composer takes ${composer.height} px`);
  }
  return problems;
}

/** Checks that a narrow side bar shows the model's name and leaves half of the height to the conversation. Returns the problems. */
export async function checkNarrow(page, address, folder) {
  const problems = [];
  for (const width of widths) {
    const expect = (isSo, what) => void (isSo || problems.push(`narrow ${width}: ${what}`));
    await page.setViewportSize({ width, height });
    await page.goto(address);
    const log = await page.getByRole('log').boundingBox();
    const send = await page.getByRole('button', { name: 'Send', exact: true }).boundingBox();
    const isShown = ({ y, height }) => y >= log.y + log.height && y + height <= send.y;
    for (const name of ['Undo restore', 'Stop npm run dev', 'Send now'])
      expect(isShown(await page.getByRole('button', { name, exact: true }).first().boundingBox()), `${name} is out of view`);
    await page.getByRole('button', { name: '4 files changed in this work session' }).click();
    await page.waitForTimeout(150);
    await page.screenshot({ path: join(folder, `narrow-${width}.png`) });
    expect(log.height >= height / 2, `the conversation has ${log.height} of ${height} px`);
    const opened = await page.getByRole('list', { name: 'Changed by commands of this chat' }).boundingBox();
    expect(opened.y >= log.y + log.height - 1 && opened.y < height - 150, 'the opened work session is out of view');
    const name = await page
      .getByRole('button', { name: /^Model: / })
      .locator('.ellipsis')
      .boundingBox();
    expect(name.width >= leastName, `the name of the model has ${name.width} px, ${leastName} at least`);
    expect(send.x + send.width <= width && send.y + send.height <= height, 'Send is out of view');
    const overflow = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
    expect(overflow <= 0, `it scrolls sideways by ${overflow} px`);
    const undo = page.getByRole('button', { name: 'Undo src/signup.ts', exact: true }).last();
    await undo.focus();
    const focused = await undo.boundingBox();
    expect(
      focused.y >= log.y + log.height && focused.y + focused.height <= height,
      'a focused button of the bars is out of view',
    );
  }
  return problems;
}
