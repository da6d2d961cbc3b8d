import * as vscode from 'vscode';
import type { CompletionModelOption } from '../../completion/models/completionModels';
import { AppError, messageOf } from '../../utils/errors';

export interface CompletionMenuActions {
  isAutomatic: boolean;
  isSnoozed: boolean;
  /** Problems that the user must fix, most important first. */
  warnings: readonly string[];
  /** Language of the active file, and whether completions are on for the language. */
  language: { id: string; isOn: boolean } | null;
  toggle: () => unknown;
  snooze: () => unknown;
  wake: () => unknown;
  toggleLanguage: () => unknown;
  openSettings: () => unknown;
  /** Tests the selected model again and shows the result. */
  test: () => unknown;
}

export async function showCompletionMenu(actions: CompletionMenuActions): Promise<void> {
  const { t } = vscode.l10n;
  const { language, warnings } = actions;
  const items = [
    ...warnings.map((warning) => ({ label: `$(warning) ${warning}`, run: actions.openSettings })),
    ...(warnings.length === 0 ? [] : [{ label: t('$(beaker) Test this model again'), run: actions.test }]),
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

/** Tests a model and shows the result. */
export async function testAgain(
  name: string,
  test: () => Promise<Pick<CompletionModelOption, 'verdict' | 'words'>>,
  openSettings: () => unknown,
): Promise<void> {
  const { t } = vscode.l10n;
  const choose = t('Choose another model');
  const title = t('Testing {0}…', name);
  const tested = await vscode.window
    .withProgress({ location: vscode.ProgressLocation.Notification, title }, test)
    .then(undefined, (error: unknown) => ({
      verdict: 'untested' as const,
      words: error instanceof AppError ? error.userMessage : messageOf(error),
    }));
  if (tested.verdict === 'can') {
    void vscode.window.showInformationMessage(t('Inline suggestions are on, with {0}.', name));
    return;
  }
  if ((await vscode.window.showWarningMessage(tested.words, choose)) === choose) await openSettings();
}
