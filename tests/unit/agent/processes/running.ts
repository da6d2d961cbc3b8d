import { createOwner } from '../../../../src/services/database/sessions/windowOwner';
import { AgentBench } from '../support/agentBench';
import { allowUntilOver } from '../support/allowUntilOver';

/**
 * `running <root> <workspace> <baseUrl>`: a whole window in which the agent does a task. Reports each change to the log and stays until it
 * is killed.
 */
async function main([root = '', workspace = '', baseUrl = '']: string[]): Promise<void> {
  const settings = { 'agent.loadTools': false };
  const folders = { root, workspace };
  const bench = await AgentBench.start({ folders, owner: createOwner(), baseUrl, hasCheckpoints: true, settings });
  bench.database.log.onDidChange(() => process.send?.('changed'));
  const sessionId = await bench.send('Do all of it');
  process.send?.({ sessionId });
  await allowUntilOver(bench, sessionId, 0);
  process.send?.('over');
  setInterval(() => undefined, 60_000);
}

void main(process.argv.slice(2));
