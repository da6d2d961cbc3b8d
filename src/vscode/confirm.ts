import * as vscode from 'vscode';

interface Question {
  text: string;
  detail: string;
  /** Label of the confirm button. The dialog always also has a Cancel button. */
  yes: string;
  /** True if confirming neither loses nor discloses data. The dialog then shows no warning icon. */
  isHarmless?: boolean;
}

/** Resolves with true if the user confirms, and false if they close the dialog. */
export async function confirm({ text, detail, yes, isHarmless = false }: Question): Promise<boolean> {
  const { window } = vscode;
  const options = { modal: true, detail };
  const answer = isHarmless
    ? await window.showInformationMessage(text, options, yes)
    : await window.showWarningMessage(text, options, yes);
  return answer === yes;
}
