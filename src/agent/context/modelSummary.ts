import type { Settings } from '../../config/settings';
import type { Entry } from '../../protocol/entries';
import { requestOptions } from '../../services/model/context/requestOptions';
import { isCloudModel, type ModelInfo } from '../../types/model';
import type { ChatRequest } from '../../types/ollama';
import { conservativeTokenLength } from '../../types/tokenLength';
import { CancelledError } from '../../utils/errors';
import type { Logger } from '../../utils/logger';
import type { ChatClient, ModelSource } from '../kernel/ports';
import { hasAgreed } from '../approvals/cloudConsent';
import type { RequestBuilder } from '../prompt/requestBuilder';
import { summaryInstructions, summaryMessage, usableSummary } from './summaryText';

export interface SummaryTask {
  /** Model of the chat. It writes the summary unless a setting names another model. */
  model: ModelInfo;
  /** Complete log of the session. It contains the user's consent to cloud models. */
  log: readonly Entry[];
  /** Summary of the conversation before this part. It is empty if there is none. */
  earlier: string;
  transcript: string;
  /** Maximum length of the summary in characters. */
  characters: number;
  signal: AbortSignal;
}

/** Model that writes summaries, and maximum number of characters in one request to it. */
export interface Summarizer {
  model: ModelInfo;
  room: number;
}

const transcriptShare = 0.5;

/** Summarizes a part of a conversation with a model. Validates the text before use. */
export class ModelSummary {
  constructor(
    private readonly client: Pick<ChatClient, 'chat'>,
    private readonly models: Pick<ModelSource, 'get'>,
    private readonly requests: Pick<RequestBuilder, 'windowFor'>,
    private readonly settings: Pick<Settings, 'getAgentConfig'>,
    private readonly logger: Logger,
  ) {}

  /**
   * Resolves with the model for summaries. Resolves with null if the configured
   * model cannot be used, or is a cloud model without the user's consent.
   */
  async summarizerFor({ model, log, signal }: Pick<SummaryTask, 'model' | 'log' | 'signal'>): Promise<Summarizer | null> {
    const { compactionModel } = this.settings.getAgentConfig();
    try {
      const writer = compactionModel === '' ? model : await this.models.get(compactionModel, signal);
      if (!writer.capabilities.chat || (isCloudModel(writer.name) && !hasAgreed(writer.name, log))) return null;
      const window = await this.requests.windowFor(writer);
      return { model: writer, room: Math.floor(window * transcriptShare * conservativeTokenLength) };
    } catch (error) {
      if (signal.aborted) throw new CancelledError();
      this.logger.warn('The model for summaries cannot be used', error);
      return null;
    }
  }

  /**
   * Resolves with the summary, or with null if the model fails or its
   * text is not a valid summary. Rejects only with `CancelledError`.
   */
  async write({ model }: Summarizer, task: SummaryTask): Promise<string | null> {
    const { signal, earlier, transcript, characters } = task;
    try {
      const request = await this.request(model, task);
      let text = '';
      for await (const { message } of this.client.chat(request, { signal })) {
        text += message.content;
        // The model does not stop, so its text cannot be used.
        if (text.length > characters * 4) return null;
      }
      return usableSummary(text, `${earlier}\n${transcript}`, characters);
    } catch (error) {
      if (signal.aborted) throw new CancelledError();
      this.logger.warn('A summary could not be written', error);
      return null;
    }
  }

  private async request(model: ModelInfo, { earlier, transcript, characters }: SummaryTask): Promise<ChatRequest> {
    const tokens = Math.ceil(characters / conservativeTokenLength);
    return {
      model: model.name,
      messages: [
        { role: 'system', content: summaryInstructions(Math.floor(tokens * 0.6)) },
        { role: 'user', content: summaryMessage(earlier, transcript) },
      ],
      options: {
        ...requestOptions(model, await this.requests.windowFor(model)),
        num_predict: tokens * 2,
        temperature: 0,
      },
      keep_alive: this.settings.getAgentConfig().keepAlive,
      ...(model.capabilities.thinking && { think: false }),
      truncate: false,
      shift: false,
    };
  }
}
