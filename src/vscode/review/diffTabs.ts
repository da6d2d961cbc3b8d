import * as vscode from 'vscode';

/** Returns the URI of the right side of a diff tab, or undefined for other tabs. */
export function rightSide(tab: vscode.Tab | undefined): string | undefined {
  return tab?.input instanceof vscode.TabInputTextDiff ? tab.input.modified.toString() : undefined;
}

/** Closes the diff tabs with `right` on the right side. */
export async function closeDiffs(right: vscode.Uri): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const compared = tabs.filter((tab) => rightSide(tab) === right.toString());
  if (compared.length > 0) await vscode.window.tabGroups.close(compared);
}
