/** Commands that look after what is stored, by their names after `ollamaCopilot.`. */
export type UpkeepCommand =
  | 'verifyStorage'
  | 'collectGarbage'
  | 'recreateMessagesTable'
  | 'recreateCodeIndex'
  | 'backupHistory'
  | 'exportAllSessions'
  | 'showLog';
