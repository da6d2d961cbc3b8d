import { systemClock, type Clock } from '../../src/utils/clock';
import { caseLimitMs } from './until';

/** Timeouts in the product for operations that hang. No other delay has one of these lengths. */
const limitsMs = new Set([8_000, 10_000, 12_000, 15_000, 20_000, 25_000, 30_000, 180_000]);

/** The system clock, except that the product's timeouts never expire, however slow the machine is. */
export const patientClock: Clock = {
  now: () => systemClock.now(),
  sleep: (ms, signal) => systemClock.sleep(limitsMs.has(ms) ? caseLimitMs : ms, signal),
};
