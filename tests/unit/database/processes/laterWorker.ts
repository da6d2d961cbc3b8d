import { systemClock } from '../../../../src/utils/clock';

/** The checkpoint worker two hours from now: whatever nothing refers to at this moment is old enough to be collected. */
systemClock.now = () => Date.now() + 2 * 3_600_000;

void import('../../../../src/services/checkpoint/engine/checkpointWorker');
