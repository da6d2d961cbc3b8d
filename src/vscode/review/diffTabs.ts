import * as vscode from 'vscode';

/** Returns the address of the right side of a comparison in a tab; undefined for any other tab. */
export function rightOf(tab: vscode.Tab | undefined): string | undefined {
  return tab?.input instanceof vscode.TabInputTextDiff ? tab.input.modified.toString() : undefined;
}

/** Closes the tabs that compare something with `right`. */
export async function closeDiffs(right: vscode.Uri): Promise<void> {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  const compared = tabs.filter((tab) => rightOf(tab) === right.toString());
  if (compared.length > 0) await vscode.window.tabGroups.close(compared);
}
