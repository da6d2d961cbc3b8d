/** Starts the checkpoint worker with a clock two hours ahead, so that all garbage is old enough to be collected. */
const now = Date.now.bind(Date);
Date.now = () => now() + 2 * 3_600_000;

void import('../../../../src/services/checkpoint/engine/checkpointWorker');
