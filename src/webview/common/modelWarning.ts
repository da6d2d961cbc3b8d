import type { AttachmentRef } from '../../protocol/entries';
import type { ModelOption } from '../../protocol/webviewEvents';
import { failedExam, findLack } from './modelChoices';
import { t } from '../translate';

interface Circumstances {
  /** True if an image is attached and the model has no vision. */
  isBlind: boolean;
  /** Model with vision that the user could select instead. */
  seeing: ModelOption | undefined;
  /** True for a model without tools in a mode that does not need them. */
  isPlainChat: boolean;
}

/** Explains why the selected model does not suit the next message. Returns null if it does. */
export function modelWarning(
  chosen: ModelOption | undefined,
  mode: string,
  { isBlind, seeing, isPlainChat }: Circumstances,
): string | null {
  if (chosen === undefined) return null;
  if (isBlind)
    return seeing === undefined
      ? t('{0} cannot read images. Choose a model with vision, or remove the image.', chosen.name)
      : t('{0} cannot read images. Choose {1}, or remove the image.', chosen.name, seeing.name);
  if (findLack(chosen, mode) === null || isPlainChat) return null;
  if (!chosen.capabilities.chat) return t('{0} does not support chat. Choose another model.', chosen.name);
  return failedExam(chosen, mode)
    ? t('{0} failed the model exam. Review its edits carefully, or choose another model for Agent mode.', chosen.name)
    : t('{0} has no built-in tool support. It writes tool calls as text, which is less reliable.', chosen.name);
}

/** Explains why a message with images cannot be resent to the selected model. Returns null if it can. */
export function resendWarning(
  models: readonly ModelOption[],
  model: string | null,
  attachments: readonly AttachmentRef[],
): string | null {
  const chosen = models.find(({ name }) => name === model);
  if (chosen === undefined || !isBlindTo(chosen, attachments)) return null;
  const seeing = findVisionModel(models);
  return seeing === undefined
    ? t('{0} cannot read images. Choose a model with vision, then send again.', chosen.name)
    : t('{0} cannot read images. Choose {1}, then send again.', chosen.name, seeing.name);
}

/** Returns true if an image is attached and the model has no vision. */
export function isBlindTo(model: ModelOption | undefined, attachments: readonly AttachmentRef[]): boolean {
  return model?.capabilities.vision === false && attachments.some(({ image }) => image !== undefined);
}

/** Returns a model with vision. */
export function findVisionModel(models: readonly ModelOption[]): ModelOption | undefined {
  return models.find(({ enabled, capabilities }) => enabled && capabilities.chat && capabilities.vision);
}
