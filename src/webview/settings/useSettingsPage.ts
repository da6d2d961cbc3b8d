import { computed, ref } from 'vue';
import type { SettingsTab } from './catalogue';
import type { Host } from '../common/useHost';
import type { useModels } from '../composer/pickers/useModels';
import { useModelTable } from './useModelTable';
import type { usePulls } from '../start/usePulls';
import { useSettings } from './useSettings';
import { useStored } from './storage/useStored';

/** Provides what the settings page shows and does. */
export function useSettingsPage(
  host: Host,
  server: ReturnType<typeof useModels>,
  pulls: ReturnType<typeof usePulls>,
  openLink: (url: string) => unknown,
) {
  const settings = useSettings(host);
  const table = useModelTable(host);
  const stored = useStored(host);
  const firstTab = ref<SettingsTab>('connection');

  function show(tab: SettingsTab): void {
    firstTab.value = tab;
    table.problem.value = null;
    void settings.show();
    void server.refresh();
  }

  /** Reads again what is stored, as it may have changed. */
  function refresh(): void {
    void settings.show();
    stored.refresh();
  }

  const props = computed(() => ({
    firstTab: firstTab.value,
    state: settings.state.value,
    isFailed: settings.isFailed.value,
    storage: settings.storage.value,
    marks: settings.marks,
    models: server.models.value,
    connection: server.connection.value,
    isChecking: server.isChecking.value,
    busyModels: table.busy,
    modelProblem: table.problem.value,
    pulls: pulls.pulls.value,
    suggestions: pulls.suggestions.value,
    stored: stored.view.value,
  }));
  const handlers = {
    load: settings.show,
    save: settings.save,
    forget: settings.forget,
    openEditor: settings.openEditor,
    chooseServer: settings.chooseServer,
    setToken: settings.setToken,
    removeToken: settings.removeToken,
    openStorage: settings.openStorage,
    runUpkeep: settings.runUpkeep,
    check: server.check,
    enable: table.enable,
    unload: table.unload,
    remove: table.remove,
    suggest: pulls.suggest,
    pull: pulls.pull,
    cancelPull: pulls.cancel,
    openLink,
    stored: stored.act,
  };

  return { props, handlers, show, refresh };
}
