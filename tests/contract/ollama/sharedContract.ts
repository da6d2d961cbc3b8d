import type { ContractTarget } from './contractTarget';
import { catalogContract } from './sharedCatalog';
import { chatContract } from './sharedChat';
import { clientContract } from './sharedClient';
import { embedContract } from './sharedEmbed';
import { generateContract } from './sharedGenerate';
import { overflowContract } from './sharedOverflow';
import { refusalContract } from './sharedRefusals';
import { schedulingContract } from './sharedScheduling';
import { toolsContract } from './sharedTools';

/** Registers all tests that both a real server and the double pass. */
export function sharedContract(target: ContractTarget): void {
  catalogContract(target);
  refusalContract(target);
  chatContract(target);
  toolsContract(target);
  generateContract(target);
  overflowContract(target);
  embedContract(target);
  schedulingContract(target);
  clientContract(target);
}
