import { expect as ofPlaywright } from '@playwright/test';
import { stateLimitMs } from '../../support/until';

/** Playwright's assertions. Assertions on a page wait up to `stateLimitMs` for the expected state. */
export const expect = ofPlaywright.configure({ timeout: stateLimitMs });
