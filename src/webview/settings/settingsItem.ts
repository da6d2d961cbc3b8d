import type { ChatMode } from '../../types/modes';

export type SettingsTab =
  'connection' | 'models' | 'chat' | 'agent' | 'autocomplete' | 'tools' | 'checkpoints' | 'privacy' | 'advanced';

interface Item {
  key: string;
  tab: SettingsTab;
  title: string;
  effect: string;
}

/** Setting, by key without the `ollamaCopilot.` prefix. */
export interface SettingItem extends Item {
  /** `choice`: one of the `options`. `list`: texts. `switches`: texts with switches. `editor`: edited in the editor's settings. */
  kind: 'text' | 'number' | 'duration' | 'model' | 'choice' | 'flag' | 'list' | 'switches' | 'editor';
  unit?: string;
  /** For kind `choice`. */
  options?: readonly { value: string; name: string }[];
  /** For kind `model`. */
  mode?: ChatMode;
}

/** Part of the page that is not a setting. */
export interface PartItem extends Item {
  kind: 'part';
  key:
    | 'server'
    | 'token'
    | 'modelTable'
    | 'hardwareFit'
    | 'memoryPlan'
    | 'completionModels'
    | 'completionFigures'
    | 'mcpServers'
    | 'leaves'
    | 'connections'
    | 'kept'
    | 'stored'
    | 'upkeep'
    | 'index';
}

export type SettingsItem = SettingItem | PartItem;
