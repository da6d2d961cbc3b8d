import * as vscode from 'vscode';
import type { Contribution } from '../contribution';

/** Documents in which code is written: files, new ones, cells of notebooks. */
const selector = ['file', 'untitled', 'vscode-notebook-cell'].map((scheme) => ({ scheme }));

/** Grey text while somebody types. What makes it is loaded with the first key for which a model is chosen. */
export const completionContribution: Contribution = {
  name: 'completions',
  start({ settings, completions }) {
    const { Invoke } = vscode.InlineCompletionTriggerKind;
    return vscode.languages.registerInlineCompletionItemProvider(selector, {
      provideInlineCompletionItems: async (document, position, context, token) => {
        const { model, isAutomatic } = settings.getCompletionConfig();
        if (model === '' || (!isAutomatic && context.triggerKind !== Invoke)) return undefined;
        const { provider } = await completions();
        return provider.provideInlineCompletionItems(document, position, context, token);
      },
    });
  },
};
