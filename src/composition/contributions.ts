import type { Contribution } from './contribution';
import { apiContribution } from './contributions/apiContribution';
import { commandsContribution } from './contributions/commandsContribution';
import { completionContribution } from './contributions/completionContribution';
import { firstLookContribution } from './contributions/firstLookContribution';
import { localOnlyContribution } from './contributions/localOnlyContribution';
import { languageModelContribution } from './contributions/languageModelContribution';
import { offeredToolsContribution } from './contributions/offeredToolsContribution';
import { reviewContribution } from './contributions/reviewContribution';
import { statusBarContribution } from './contributions/statusBarContribution';
import { viewContribution } from './contributions/viewContribution';
import { walkthroughContribution } from './contributions/walkthroughContribution';
import { workspaceServerContribution } from './contributions/workspaceServerContribution';

/** Contributions in the order in which they start. */
export const contributions: readonly Contribution[] = [
  viewContribution,
  commandsContribution,
  workspaceServerContribution,
  statusBarContribution,
  localOnlyContribution,
  reviewContribution,
  completionContribution,
  languageModelContribution,
  offeredToolsContribution,
  firstLookContribution,
  walkthroughContribution,
  apiContribution,
];
