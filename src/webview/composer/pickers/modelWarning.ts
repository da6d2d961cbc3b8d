import type { ModelOption } from '../../../protocol/webviewEvents';
import { failedExam, lackOf } from '../../common/modelChoices';
import { t } from '../../translate';

interface Circumstances {
  /** True if an image is attached and the model has no vision. */
  isBlind: boolean;
  /** Model with vision. */
  seeing: ModelOption | undefined;
  /** True for a model without tools in a mode that does not need them. */
  isPlainChat: boolean;
}

/** Returns why the chosen model is a bad choice for the next message; null if it is not. */
export function modelWarning(
  chosen: ModelOption | undefined,
  mode: string,
  { isBlind, seeing, isPlainChat }: Circumstances,
): string | null {
  if (chosen === undefined) return null;
  if (isBlind)
    return seeing === undefined
      ? t('{0} does not support images. Choose a model with vision, or remove the image.', chosen.name)
      : t('{0} does not support images. Choose {1}, or remove the image.', chosen.name, seeing.name);
  if (lackOf(chosen, mode) === null || isPlainChat) return null;
  if (!chosen.capabilities.chat) return t('{0} does not support chat. Choose another model.', chosen.name);
  return failedExam(chosen, mode)
    ? t('{0} failed the model exam. Review its edits carefully, or choose another model for Agent mode.', chosen.name)
    : t('{0} has no built-in tool support. It writes tool calls as text, which is less reliable.', chosen.name);
}
