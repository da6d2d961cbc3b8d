import * as vscode from 'vscode';

export interface CompletionMenuActions {
  isAutomatic: boolean;
  isSnoozed: boolean;
  /** Language of the active file, and whether completions are on for it. */
  language: { id: string; isOn: boolean } | null;
  toggle: () => unknown;
  snooze: () => unknown;
  wake: () => unknown;
  toggleLanguage: () => unknown;
  openSettings: () => unknown;
}

export async function showCompletionMenu(actions: CompletionMenuActions): Promise<void> {
  const { t } = vscode.l10n;
  const { language } = actions;
  const items = [
    { label: actions.isAutomatic ? t('$(circle-slash) Turn off') : t('$(sparkle) Turn on'), run: actions.toggle },
    ...(actions.isSnoozed
      ? [{ label: t('$(bell) End snooze'), run: actions.wake }]
      : [{ label: t('$(bell-slash) Snooze for 5 minutes'), run: actions.snooze }]),
    ...(language === null
      ? []
      : [
          {
            label: language.isOn
              ? t('$(file-code) Turn off for {0}', language.id)
              : t('$(file-code) Turn on for {0}', language.id),
            run: actions.toggleLanguage,
          },
        ]),
    { label: t('$(settings-gear) Model and settings'), run: actions.openSettings },
  ];
  const chosen = await vscode.window.showQuickPick(items, { title: t('Inline suggestions') });
  await chosen?.run();
}
