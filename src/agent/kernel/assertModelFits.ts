import { listImages } from '../../protocol/context/sentImages';
import type { EntryOf } from '../../protocol/entries';
import { ModelNotFoundError } from '../../services/model/client/ollamaErrors';
import type { ModelInfo } from '../../types/model';
import { phrase } from '../../utils/l10n';
import { AgentError } from './agentError';
import type { ModelSource } from './ports';

type Message = EntryOf<'user_input'>;

/**
 * Rejects if a model is missing or cannot answer `message`. Passes
 * if the server does not reply, because the run reports this error.
 */
export async function assertCanAnswer(models: Pick<ModelSource, 'get'>, name: string, message: Message): Promise<void> {
  const model = await models.get(name).catch((error: unknown) => {
    if (error instanceof ModelNotFoundError) throw error;
  });
  if (model) assertModelFits(model, message);
}

/**
 * Throws if a model cannot chat, or cannot read the images in `message`.
 * Images in earlier messages are not sent. The prompt only mentions them.
 */
export function assertModelFits({ name, capabilities }: ModelInfo, message: Message | undefined): void {
  if (!capabilities.chat) {
    const words = capabilities.embedding
      ? phrase('{0} is an embedding model and does not support chat. Choose another model.', name)
      : phrase('{0} does not support chat. Choose another model.', name);
    throw new AgentError('capability', words);
  }
  if (capabilities.vision || message === undefined || listImages(message).length === 0) return;
  const words = phrase('{0} cannot read images. Choose a model with vision, or send the message without images.', name);
  throw new AgentError('capability', words);
}
