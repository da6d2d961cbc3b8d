import { systemClock, type Clock } from '../../src/utils/clock';
import { caseLimitMs } from './until';

/** Limits of the product for what hangs. No pause has one of these lengths. */
const limitsMs = new Set([8_000, 10_000, 12_000, 15_000, 20_000, 25_000, 30_000, 180_000]);

/** The system's clock, except that no limit of the product is reached, however slow the machine is. */
export const patientClock: Clock = {
  now: () => systemClock.now(),
  sleep: (ms, signal) => systemClock.sleep(limitsMs.has(ms) ? caseLimitMs : ms, signal),
};
