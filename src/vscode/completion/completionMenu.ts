import * as vscode from 'vscode';

/** Actions that the menu of the status bar offers. */
export interface CompletionMenuActions {
  isAutomatic: boolean;
  isSnoozed: boolean;
  /** Language of the file in front, and whether it is completed; null without one. */
  language: { id: string; isOn: boolean } | null;
  toggle: () => unknown;
  snooze: () => unknown;
  wake: () => unknown;
  toggleLanguage: () => unknown;
  openSettings: () => unknown;
}

/** Offers what can be done about suggestions. */
export async function showCompletionMenu(actions: CompletionMenuActions): Promise<void> {
  const { t } = vscode.l10n;
  const { language } = actions;
  const items = [
    { label: actions.isAutomatic ? t('$(circle-slash) Switch off') : t('$(sparkle) Switch on'), run: actions.toggle },
    ...(actions.isSnoozed
      ? [{ label: t('$(bell) End the snooze'), run: actions.wake }]
      : [{ label: t('$(bell-slash) Snooze for 5 minutes'), run: actions.snooze }]),
    ...(language === null
      ? []
      : [
          {
            label: language.isOn ? t('$(file-code) Off for {0}', language.id) : t('$(file-code) On for {0}', language.id),
            run: actions.toggleLanguage,
          },
        ]),
    { label: t('$(settings-gear) Model and settings'), run: actions.openSettings },
  ];
  const chosen = await vscode.window.showQuickPick(items, { title: t('Suggestions while typing') });
  await chosen?.run();
}
