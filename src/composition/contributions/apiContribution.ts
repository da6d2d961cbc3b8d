import { onDidChangeSettings } from '../../vscode/settingsSource';
import type { Contribution } from '../contribution';
import { DisposableStore } from '../../utils/disposable';

/** Runs the local API while its setting is enabled. */
export const apiContribution: Contribution = {
  name: 'api',
  start({ settings, storage, localApi, logger }) {
    let isOn = false;
    const follow = () => {
      const { isEnabled } = settings.getApiConfig();
      if (isEnabled === isOn || storage.current === undefined) return;
      isOn = isEnabled;
      localApi()
        .then(async (api) => {
          if (isEnabled) await api.start();
          else await api.stop();
        })
        .catch((error: unknown) => logger.error('The local API could not be switched', error));
    };
    const store = new DisposableStore();
    store.add(onDidChangeSettings(follow));
    store.add(storage.onDidChange(({ state }) => state === 'open' && follow()));
    return store;
  },
};
