import assert from 'node:assert/strict';
import type { FrameLocator, Locator, Page } from 'playwright-core';
import { eventually, until } from '../../support/until';

/** Roles that need an accessible name. A list of plain sentences needs none. */
const roles = [
  ...(['article', 'textbox', 'button', 'link', 'group', 'meter', 'searchbox', 'option'] as const),
  ...(['tab', 'tabpanel', 'checkbox', 'combobox', 'listbox', 'spinbutton', 'progressbar', 'table', 'region'] as const),
];

/** Waits until the view has more than `moreThan` accessible elements, each with a name. */
export function assertNamed(view: FrameLocator, moreThan: number): Promise<void> {
  return eventually(async () => {
    const count = await countNamed(view);
    assert.ok(count > moreThan, `${count} parts have a name`);
  });
}

/** Returns the number of elements. Throws if an element has no name. */
async function countNamed(view: FrameLocator): Promise<number> {
  let count = 0;
  for (const role of roles) {
    for (const element of await view.getByRole(role).all()) {
      // If an element has disappeared meanwhile, only this try fails, not the whole wait.
      const spoken = await element.ariaSnapshot({ timeout: 8_000 });
      assert.match(spoken, new RegExp(`^- '?${role} "[^"]+"`), spoken);
      count += 1;
    }
  }
  return count;
}

/** Waits until an element has the focus. */
export function untilFocused(target: Locator): Promise<void> {
  return until(() => isFocused(target), `${String(target)} has no focus`);
}

/** Presses Tab or another key until an element has the focus, at most once around the view. */
export async function focusByKey(page: Page, target: Locator, key = 'Tab'): Promise<void> {
  for (let count = 0; count < 80; count++) {
    if (await isFocused(target)) return;
    await page.keyboard.press(key);
  }
  assert.fail(`${key} does not reach ${String(target)}`);
}

function isFocused(target: Locator): Promise<boolean> {
  return target.evaluate((element) => element.ownerDocument.hasFocus() && element === element.ownerDocument.activeElement);
}

/** Returns pairs of elements whose tab order differs from their visual order, which is top to bottom and left to right. */
export async function outOfOrder(view: FrameLocator): Promise<string[]> {
  return view.locator('body').evaluate((body) => {
    const parts = [...body.querySelectorAll<HTMLElement>('a[href], button, input, select, textarea, [tabindex]')]
      .filter((part) => part.tabIndex >= 0 && !part.matches(':disabled') && part.checkVisibility())
      .map((part) => ({ part, name: part.getAttribute('aria-label') ?? part.innerText, place: part.getBoundingClientRect() }))
      .filter(({ place }) => place.width > 1 && place.height > 1);
    return parts.flatMap(({ part, name, place }, index) => {
      const next = parts[index + 1];
      if (next === undefined || part.contains(next.part)) return [];
      const isAbove = next.place.bottom <= place.top + 1;
      const isInRow = next.place.top < place.bottom - 1 && place.top < next.place.bottom - 1;
      const isBefore = isInRow && next.place.right <= place.left + 1;
      return part.tabIndex > 0 || isAbove || isBefore ? [`${name} → ${next.name}`] : [];
    });
  });
}
