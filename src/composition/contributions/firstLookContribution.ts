import { showFirstLook } from '../../vscode/firstLook';
import type { Contribution } from '../contribution';

/** The chat beside a file of the sample workspace, once, in a window that `npm start` has opened. */
export const firstLookContribution: Contribution = {
  name: 'first look',
  start({ context, view, logger }) {
    showFirstLook(context.workspaceState, () => view.reveal('focusComposer', {})).catch((error: unknown) =>
      logger.warn('The first look could not be shown', error),
    );
    return { dispose: () => undefined };
  },
};
