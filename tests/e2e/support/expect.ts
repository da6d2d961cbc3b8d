import { expect as ofPlaywright } from '@playwright/test';
import { stateLimitMs } from '../../support/until';

/** Playwright's assertions. Those on a page wait until it shows what they expect, up to `stateLimitMs`. */
export const expect = ofPlaywright.configure({ timeout: stateLimitMs });
