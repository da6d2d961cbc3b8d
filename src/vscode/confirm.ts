import * as vscode from 'vscode';

/** Question of a dialog that stops the person until they answer. */
interface Question {
  text: string;
  detail: string;
  /** Name of the button that agrees; Cancel stands beside it. */
  yes: string;
  /** True if nothing is lost or given away by agreeing: the dialog then has no warning sign. */
  isHarmless?: boolean;
}

/** Resolves with true if a person agrees to what a dialog asks, false if they close it. */
export async function confirm({ text, detail, yes, isHarmless = false }: Question): Promise<boolean> {
  const { window } = vscode;
  const options = { modal: true, detail };
  const answer = isHarmless
    ? await window.showInformationMessage(text, options, yes)
    : await window.showWarningMessage(text, options, yes);
  return answer === yes;
}
