import type { ChatMode } from '../../types/modes';

export type SettingsTab =
  'connection' | 'models' | 'chat' | 'agent' | 'autocomplete' | 'tools' | 'checkpoints' | 'privacy' | 'advanced';

interface Item {
  key: string;
  tab: SettingsTab;
  title: string;
  /** Effect of the setting, in one sentence. */
  effect: string;
}

/** A setting, by its key without the `ollamaCopilot.` prefix. */
export interface SettingItem extends Item {
  /** `list`: texts; `switches`: texts with yes or no each; `editor`: it is edited in the editor's own settings. */
  kind: 'text' | 'number' | 'duration' | 'model' | 'flag' | 'list' | 'switches' | 'editor';
  unit?: string;
  /** Mode of a `model`. */
  mode?: ChatMode;
}

/** Part of the page among the settings that is no setting. */
export interface PartItem extends Item {
  kind: 'part';
  key:
    | 'server'
    | 'token'
    | 'modelTable'
    | 'completionModels'
    | 'completionFigures'
    | 'mcpServers'
    | 'leaves'
    | 'kept'
    | 'stored'
    | 'upkeep'
    | 'index';
}

export type SettingsItem = SettingItem | PartItem;
