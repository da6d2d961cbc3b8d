import { computed } from 'vue';
import type { ContextUse } from '../../../protocol/contextUse';
import { isMode, modeRow } from '../../../types/modes';
import type { AttachmentRef } from '../../../protocol/entries';
import type { ModelOption } from '../../../protocol/webviewEvents';
import { draftWarning } from './contextText';
import { modeLabel } from '../../common/modeTexts';
import { t } from '../../translate';
import { isBlindTo, modelWarning, findVisionModel } from '../../common/modelWarning';

interface Choice {
  models: readonly ModelOption[];
  selectedModel: string | null;
  mode: string;
  /** True if the settings name a model for this mode and the user last selected another one. */
  hasOwnModel: boolean;
  attachments: readonly AttachmentRef[];
  contextUse: ContextUse | null;
}

/** Provides notes about the model of the next message. */
export function useModelNotes(choice: () => Choice) {
  const model = computed(() => choice().models.find(({ name }) => name === choice().selectedModel));
  /** True for a model without tools in a mode that does not need them. The view shows a note, not an error. */
  const isPlainChat = computed(() => {
    const { mode } = choice();
    if (!isMode(mode) || modeRow(mode).needsTools) return false;
    return model.value?.capabilities.chat === true && !model.value.capabilities.tools;
  });
  const isBlind = computed(() => isBlindTo(model.value, choice().attachments));
  const warning = computed(() => {
    const { models, mode, contextUse } = choice();
    const more = { isBlind: isBlind.value, seeing: findVisionModel(models), isPlainChat: isPlainChat.value };
    return modelWarning(model.value, mode, more) ?? (contextUse && draftWarning(contextUse));
  });
  const about = computed(() => {
    const { selectedModel, mode, hasOwnModel } = choice();
    if (isPlainChat.value)
      return t('{0} cannot read files in Ask mode. Attach the files, or choose Agent mode.', selectedModel ?? '');
    return hasOwnModel ? t('{0}: set for {1} mode in the settings', selectedModel ?? '', modeLabel(mode)) : null;
  });
  return { isPlainChat, isBlind, warning, about };
}
