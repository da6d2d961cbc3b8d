import * as vscode from 'vscode';

interface Question {
  text: string;
  detail: string;
  /** Label of the button that confirms. Cancel is always shown. */
  yes: string;
  /** True if confirming loses and discloses nothing. The dialog then shows no warning icon. */
  isHarmless?: boolean;
}

/** Resolves with true if the user confirms, false if they close the dialog. */
export async function confirm({ text, detail, yes, isHarmless = false }: Question): Promise<boolean> {
  const { window } = vscode;
  const options = { modal: true, detail };
  const answer = isHarmless
    ? await window.showInformationMessage(text, options, yes)
    : await window.showWarningMessage(text, options, yes);
  return answer === yes;
}
