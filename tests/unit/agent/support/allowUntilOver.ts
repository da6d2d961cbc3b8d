import { setTimeout as sleep } from 'node:timers/promises';
import type { AgentBench } from './agentBench';

/** Approves all questions after the entry `behindSeq`, until the run is over. */
export async function allowUntilOver(bench: AgentBench, sessionId: string, behindSeq: number): Promise<void> {
  const decided = new Set<string>();
  while ((await bench.controller.runState(sessionId)).state !== 'idle') {
    const { entries } = await bench.database.log.read(sessionId, 0);
    for (const { seq, type, data } of entries) {
      if (type !== 'approval' || data.phase !== 'requested' || seq <= behindSeq || decided.has(data.approvalId)) continue;
      decided.add(data.approvalId);
      await bench.controller.decideApproval(sessionId, data.approvalId, true);
    }
    await sleep(10);
  }
}
