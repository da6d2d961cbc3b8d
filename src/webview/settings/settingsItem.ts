import type { ChatMode } from '../../types/modes';

export type SettingsTab =
  'connection' | 'models' | 'chat' | 'agent' | 'autocomplete' | 'tools' | 'checkpoints' | 'privacy' | 'advanced';

interface Item {
  key: string;
  tab: SettingsTab;
  title: string;
  effect: string;
}

/** Setting with its key. The key has no `ollamaCopilot.` prefix. */
export interface SettingItem extends Item {
  /** `choice`: one of the `options`. `list`: texts. `switches`: texts with switches. `editor`: edited in the editor's settings. */
  kind: 'text' | 'number' | 'duration' | 'model' | 'choice' | 'flag' | 'list' | 'switches' | 'editor';
  unit?: string;
  /** Choices for the kind `choice`. */
  options?: readonly { value: string; name: string }[];
  /** For the kind `model`: the mode that uses the model. */
  mode?: ChatMode;
  /** For the kind `model` outside the chat: the models to list, and the label of the choice for no model. */
  other?: { needs: 'chat' | 'embedding'; unset: string };
}

/** Part of the page other than a setting. */
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
