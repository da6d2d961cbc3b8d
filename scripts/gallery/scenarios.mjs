import { analyticsScenarios } from './scenarios/analytics.mjs';
import { answersScenarios } from './scenarios/answers.mjs';
import { approvalsScenarios } from './scenarios/approvals.mjs';
import { checkpointSettingsScenarios } from './scenarios/checkpointSettings.mjs';
import { composerScenarios } from './scenarios/composer.mjs';
import { examScenarios } from './scenarios/models/exam.mjs';
import { endingsScenarios } from './scenarios/endings.mjs';
import { fitScenarios } from './scenarios/models/fit.mjs';
import { historyScenarios } from './scenarios/history.mjs';
import { mcpSettingsScenarios } from './scenarios/mcpSettings.mjs';
import { questionsScenarios } from './scenarios/questions.mjs';
import { reviewScenarios } from './scenarios/review.mjs';
import { runningScenarios } from './scenarios/running.mjs';
import { sandboxScenarios } from './scenarios/sandbox.mjs';
import { settingsScenarios } from './scenarios/settings.mjs';
import { startScenarios } from './scenarios/start.mjs';
import { storageScenarios } from './scenarios/storage.mjs';
import { toolsScenarios } from './scenarios/tools.mjs';
import { troubleScenarios } from './scenarios/troubles.mjs';
import { undoneScenarios } from './scenarios/undone.mjs';

/**
 * Every designed state of the view. `do` lists the user's actions before the screenshot: `click NAME`, `key KEY` in the list, `type TEXT`
 * in the search, `history`, `hover NAME`, `settle`, `write TEXT`, `suggest` a file.
 */
export const scenarios = {
  ...analyticsScenarios,
  ...answersScenarios,
  ...approvalsScenarios,
  ...checkpointSettingsScenarios,
  ...composerScenarios,
  ...endingsScenarios,
  ...examScenarios,
  ...fitScenarios,
  ...historyScenarios,
  ...mcpSettingsScenarios,
  ...questionsScenarios,
  ...reviewScenarios,
  ...runningScenarios,
  ...sandboxScenarios,
  ...settingsScenarios,
  ...startScenarios,
  ...storageScenarios,
  ...toolsScenarios,
  ...troubleScenarios,
  ...undoneScenarios,
};
