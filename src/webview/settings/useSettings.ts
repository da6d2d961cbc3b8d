import { reactive, ref, shallowRef } from 'vue';
import type { HostApi, HostResult } from '../../protocol/hostApi';
import type { SettingsState } from '../../protocol/webviewEvents';
import type { SettingMark, SettingValue } from '../types';
import type { Host } from '../common/useHost';

type EditorCommand = Parameters<HostApi['runCommand']>[0]['command'];

/** Milliseconds that the view shows "saved". */
const savedFor = 2500;

export function useSettings(host: Host) {
  const state = shallowRef<SettingsState | null>(null);
  const isFailed = ref(false);
  const storage = shallowRef<HostResult<'measureStorage'> | null>(null);
  const marks = reactive<Record<string, SettingMark>>({});
  const changes = new Map<string, number>();

  host.on('settings', (next) => (state.value = next));

  async function read(): Promise<void> {
    isFailed.value = false;
    try {
      state.value = await host.api.readSettings({});
    } catch (error) {
      host.report(error);
      isFailed.value = state.value === null;
    }
  }

  /** Reloads the settings when the page is shown again. */
  async function load(): Promise<void> {
    for (const key of Object.keys(marks)) delete marks[key];
    await Promise.all([read(), measure()]);
  }

  async function measure(): Promise<void> {
    try {
      storage.value = await host.api.measureStorage({});
    } catch (error) {
      host.report(error);
    }
  }

  /** Saves a value. Null resets it. After several changes, reports only the last one. */
  async function save(key: string, value: SettingValue): Promise<void> {
    const change = (changes.get(key) ?? 0) + 1;
    changes.set(key, change);
    const isLast = () => changes.get(key) === change;
    try {
      await host.api.saveSetting({ key, value });
      if (!isLast()) return;
      marks[key] = { state: 'saved', problem: null };
      setTimeout(() => isLast() && marks[key]?.state === 'saved' && delete marks[key], savedFor);
      await read();
    } catch (error) {
      if (isLast()) marks[key] = { state: 'failed', problem: error instanceof Error ? error.message : String(error) };
    }
  }

  const readValue = (key: string): unknown => state.value?.settings.find((setting) => setting.key === key)?.value;
  const forget = (key: string) => void delete marks[key];
  const openEditor = (key: string | null) => host.attempt(host.api.openEditorSettings({ key }));
  const removeToken = () => host.attempt(host.api.removeToken({}));
  const run = (command: EditorCommand) => host.attempt(host.api.runCommand({ command }));

  return { state, isFailed, storage, marks, valueOf: readValue, load, save, forget, openEditor, removeToken, run };
}
