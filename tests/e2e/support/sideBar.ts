import type { FrameLocator, Page } from 'playwright-core';

/** Drags the sash between side bar and editor until the view inside is `pixels` wide, as its own `innerWidth` says. */
export async function setSideBarWidth(page: Page, view: FrameLocator, pixels: number): Promise<void> {
  for (let attempt = 0; attempt < 4; attempt++) {
    const width = await view.locator('body').evaluate(() => window.innerWidth);
    if (width === pixels) return;
    const sideBar = await page.locator('.part.sidebar').boundingBox();
    if (!sideBar) throw new Error('The side bar is hidden.');
    const edge = sideBar.x + sideBar.width;
    const height = sideBar.y + sideBar.height / 2;
    await page.mouse.move(edge, height);
    // eslint-disable-next-line waits/long -- The editor takes hold of the edge 300 ms after the pointer is there.
    await page.waitForTimeout(350);
    await page.mouse.down();
    await page.mouse.move(edge + (pixels - width) / 2, height);
    await page.mouse.move(edge + pixels - width, height);
    await page.mouse.up();
    await page.mouse.move(edge + 400, height);
    // eslint-disable-next-line waits/long -- The view lays itself out after the edge has moved.
    await page.waitForTimeout(150);
  }
  throw new Error(`The view could not be made ${pixels} pixels wide.`);
}
