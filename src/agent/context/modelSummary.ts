import type { Settings } from '../../config/settings';
import type { Entry } from '../../protocol/entries';
import { requestOptions } from '../../services/model/context/requestOptions';
import { isCloudModel, type ModelInfo } from '../../types/model';
import type { ChatRequest } from '../../types/ollama';
import { carefulTokenLength } from '../../types/tokenLength';
import { CancelledError } from '../../utils/errors';
import type { Logger } from '../../utils/logger';
import type { ChatClient, ModelSource } from '../kernel/ports';
import { hasAgreed } from '../approvals/cloudConsent';
import type { RequestBuilder } from '../prompt/requestBuilder';
import { summaryInstructions, summaryMessage, usableSummary } from './summaryText';

/** Part of a conversation that a model is to put into words. */
export interface SummaryTask {
  /** Model of the chat, which writes the summary unless a setting names another one. */
  model: ModelInfo;
  /** Whole log of the session, which says what the person has agreed to. */
  log: readonly Entry[];
  /** Summary of what comes before the part; empty where nothing does. */
  earlier: string;
  /** The part in words. */
  transcript: string;
  /** Length of the summary at the most. */
  characters: number;
  signal: AbortSignal;
}

/** Model that writes a summary, with the characters that one of its requests can take. */
export interface Summarizer {
  model: ModelInfo;
  room: number;
}

/** Share of the window that a transcript may take. */
const transcriptShare = 0.5;

/** Lets a model write the summary of a part of a conversation. What it writes is looked at before it is used. */
export class ModelSummary {
  constructor(
    private readonly client: Pick<ChatClient, 'chat'>,
    private readonly models: Pick<ModelSource, 'get'>,
    private readonly requests: Pick<RequestBuilder, 'windowFor'>,
    private readonly settings: Pick<Settings, 'getAgentConfig'>,
    private readonly logger: Logger,
  ) {}

  /** Resolves with the model that will write; null where the one that is set cannot, or runs elsewhere and nobody has agreed to that. */
  async summarizerFor({ model, log, signal }: Pick<SummaryTask, 'model' | 'log' | 'signal'>): Promise<Summarizer | null> {
    const { compactionModel } = this.settings.getAgentConfig();
    try {
      const writer = compactionModel === '' ? model : await this.models.get(compactionModel, signal);
      if (!writer.capabilities.chat || (isCloudModel(writer.name) && !hasAgreed(writer.name, log))) return null;
      const window = await this.requests.windowFor(writer);
      return { model: writer, room: Math.floor(window * transcriptShare * carefulTokenLength) };
    } catch (error) {
      if (signal.aborted) throw new CancelledError();
      this.logger.warn('The model for summaries cannot be used', error);
      return null;
    }
  }

  /** Resolves with the summary; null if the model fails, or writes nothing that can be one. Rejects with `CancelledError` only. */
  async write({ model }: Summarizer, task: SummaryTask): Promise<string | null> {
    const { signal, earlier, transcript, characters } = task;
    try {
      const request = await this.request(model, task);
      let text = '';
      for await (const { message } of this.client.chat(request, { signal })) {
        text += message.content;
        // A model that does not come to an end has nothing to say.
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
    const tokens = Math.ceil(characters / carefulTokenLength);
    return {
      model: model.name,
      messages: [
        { role: 'system', content: summaryInstructions(Math.floor(tokens * 0.6)) },
        { role: 'user', content: summaryMessage(earlier, transcript) },
      ],
      options: {
        ...requestOptions(model, await this.requests.windowFor(model)),
        ...{ num_predict: tokens * 2, temperature: 0 },
      },
      keep_alive: this.settings.getAgentConfig().keepAlive,
      ...(model.capabilities.thinking && { think: false }),
      truncate: false,
      shift: false,
    };
  }
}
