/** Starts the checkpoint worker two hours from now: whatever nothing refers to at this moment is old enough to be collected. */
const now = Date.now.bind(Date);
Date.now = () => now() + 2 * 3_600_000;

void import('../../../../src/services/checkpoint/engine/checkpointWorker');
