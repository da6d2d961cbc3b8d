import { createOwner } from '../../../../src/services/database/sessions/windowOwner';
import { AgentBench } from '../support/agentBench';
import { allowUntilOver } from '../support/allowUntilOver';

/** `running <root> <workspace> <baseUrl>`: a whole window that has the agent do a task, tells each change of the log, and stays until it is killed. */
async function main([root = '', workspace = '', baseUrl = '']: string[]): Promise<void> {
  const bench = await AgentBench.start({ folders: { root, workspace }, owner: createOwner(), baseUrl, hasCheckpoints: true });
  bench.database.log.onDidChange(() => process.send?.('changed'));
  const sessionId = await bench.send('Do all of it');
  process.send?.({ sessionId });
  await allowUntilOver(bench, sessionId, 0);
  process.send?.('over');
  setInterval(() => undefined, 60_000);
}

void main(process.argv.slice(2));
