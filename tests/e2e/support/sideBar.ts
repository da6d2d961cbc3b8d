import assert from 'node:assert/strict';
import type { FrameLocator, Page } from 'playwright-core';
import { eventually } from '../../support/until';

/**
 * Drags the sash between the side bar and the editor until the `innerWidth` of the view is `pixels`. If the secondary side bar is visible,
 * the view must be in it.
 */
export function setSideBarWidth(page: Page, view: FrameLocator, pixels: number): Promise<void> {
  return eventually(async () => {
    const width = await view.locator('body').evaluate(() => window.innerWidth);
    if (width === pixels) return;
    const isSecondary = await page.locator('.part.auxiliarybar').isVisible();
    const sideBar = await page.locator(isSecondary ? '.part.auxiliarybar' : '.part.sidebar').boundingBox();
    if (!sideBar) throw new Error('The side bar is hidden.');
    const edge = await sashAt(page, isSecondary ? sideBar.x : sideBar.x + sideBar.width);
    const outwards = isSecondary ? -1 : 1;
    const height = sideBar.y + sideBar.height / 2;
    await page.mouse.move(edge, height);
    // eslint-disable-next-line waits/long -- The sash becomes draggable 300 ms after the pointer reaches it.
    await page.waitForTimeout(350);
    await page.mouse.down();
    await page.mouse.move(edge + (outwards * (pixels - width)) / 2, height);
    await page.mouse.move(edge + outwards * (pixels - width), height);
    await page.mouse.up();
    await page.mouse.move(edge + outwards * 400, height);
    // eslint-disable-next-line waits/long -- The view updates its layout after the sash has moved.
    await page.waitForTimeout(150);
    assert.fail(`The view was ${width} pixels wide, not ${pixels}.`);
  });
}

/** Returns the position of the sash nearest to an edge, in CSS pixels from the left. */
async function sashAt(page: Page, edge: number): Promise<number> {
  const middles = await page.locator('.monaco-sash.vertical:not(.disabled)').evaluateAll((sashes) =>
    sashes.map((sash) => {
      const { left, width } = sash.getBoundingClientRect();
      return left + width / 2;
    }),
  );
  return middles.reduce((best, middle) => (Math.abs(middle - edge) < Math.abs(best - edge) ? middle : best), Infinity);
}
