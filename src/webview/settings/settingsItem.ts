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
  /** For kind `model`: the mode that uses it. */
  mode?: ChatMode;
  /** For kind `model`, outside of the chat: the models to list, and the name for no model. */
  other?: { needs: 'chat' | 'embedding'; unset: string };
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
