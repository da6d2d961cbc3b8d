import { ref, type InjectionKey } from 'vue';
import type { SettingsTab } from './catalogue';
import type { Host } from '../common/useHost';
import type { useModels } from '../composer/pickers/useModels';
import { useFit } from './fit/useFit';
import { useModelTable } from './useModelTable';
import { useSettings } from './useSettings';
import { useStored } from './storage/useStored';
import { useConnections } from './privacy/useConnections';

export const settingsKey: InjectionKey<ReturnType<typeof useSettingsPage>> = Symbol('settings');

export function useSettingsPage(host: Host, server: ReturnType<typeof useModels>) {
  const settings = useSettings(host);
  const table = useModelTable(host);
  const fit = useFit(host);
  const stored = useStored(host);
  const connections = useConnections(host);
  const firstTab = ref<SettingsTab>('connection');

  function show(tab: SettingsTab): void {
    firstTab.value = tab;
    table.problem.value = null;
    fit.problem.value = null;
    void settings.load();
    void server.refresh();
  }

  function refresh(): void {
    void settings.load();
    stored.refresh();
  }

  return { ...settings, table, fit, stored, connections, firstTab, show, refresh };
}
