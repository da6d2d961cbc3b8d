import { ref, type InjectionKey } from 'vue';
import type { SettingsTab } from './catalogue';
import type { Host } from '../common/useHost';
import type { useModels } from '../composer/pickers/useModels';
import { useModelTable } from './useModelTable';
import { useSettings } from './useSettings';
import { useStored } from './storage/useStored';

export const settingsKey: InjectionKey<ReturnType<typeof useSettingsPage>> = Symbol('settings');

/** Provides what the settings page shows and does. */
export function useSettingsPage(host: Host, server: ReturnType<typeof useModels>) {
  const settings = useSettings(host);
  const table = useModelTable(host);
  const stored = useStored(host);
  const firstTab = ref<SettingsTab>('connection');

  function show(tab: SettingsTab): void {
    firstTab.value = tab;
    table.problem.value = null;
    void settings.load();
    void server.refresh();
  }

  /** Reads again what is stored, as it may have changed. */
  function refresh(): void {
    void settings.load();
    stored.refresh();
  }

  return { ...settings, table, stored, firstTab, show, refresh };
}
