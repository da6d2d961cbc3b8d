import { randomUUID } from 'node:crypto';
import * as vscode from 'vscode';
import { receivedCall } from '../../agent/stream/readCalls';
import type { Settings } from '../../config/settings';
import type { OllamaClient } from '../../services/model/client/ollamaClient';
import type { ModelManager } from '../../services/model/catalogue/modelManager';
import type { ContextWindows } from '../../services/model/context/contextWindows';
import { requestOptions } from '../../services/model/context/requestOptions';
import { parameterCount } from '../../types/format';
import { isCloudModel, type ModelInfo } from '../../types/model';
import { findModel } from '../../types/modelNames';
import type { ChatRequest } from '../../types/ollama';
import { conservativeTokenLength } from '../../types/tokenLength';
import { AppError, isCancelled } from '../../utils/errors';
import { readPartTexts, wireMessages, wireTools } from './wireMessages';

/** Estimated number of tokens that a template adds per message. */
const messageFrame = 4;

export interface ChatModelServices {
  client: Pick<OllamaClient, 'chat'>;
  models: Pick<ModelManager, 'list'>;
  windows: Pick<ContextWindows, 'tokensFor'>;
  settings: Pick<Settings, 'getConfig'>;
}

/**
 * Provides the models on the server to VS Code and other extensions. Cloud models are excluded because VS Code offers no way to
 * ask the user for consent.
 */
export class ChatModels {
  constructor(private readonly services: ChatModelServices) {}

  async list(): Promise<vscode.LanguageModelChatInformation[]> {
    const { models } = await this.services.models.list();
    const offered = models.filter(({ name, enabled, capabilities }) => enabled && capabilities.chat && !isCloudModel(name));
    return Promise.all(offered.map((model) => this.describeModel(model)));
  }

  /** Streams an answer without thinking. Throws errors with a message for the user. */
  async answer(
    id: string,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    options: vscode.ProvideLanguageModelChatResponseOptions,
    progress: vscode.Progress<vscode.LanguageModelResponsePart>,
    token: vscode.CancellationToken,
  ): Promise<void> {
    const stop = new AbortController();
    const cancelled = token.onCancellationRequested(() => stop.abort());
    if (token.isCancellationRequested) stop.abort();
    try {
      const model = findModel((await this.services.models.list()).models, id);
      if (model === undefined) throw new Error(vscode.l10n.t('{0} is no longer on the server.', id));
      const request = await this.createRequest(model, messages, options);
      for await (const { message } of this.services.client.chat(request, { signal: stop.signal })) {
        if (message.content !== '') progress.report(new vscode.LanguageModelTextPart(message.content));
        for (const call of message.tool_calls ?? []) {
          const { id: callId, name, input } = receivedCall(call);
          progress.report(new vscode.LanguageModelToolCallPart(callId ?? randomUUID(), name, input));
        }
      }
    } catch (error) {
      if (stop.signal.aborted || isCancelled(error)) throw new vscode.CancellationError();
      throw error instanceof AppError ? new Error(error.userMessage, { cause: error }) : error;
    } finally {
      cancelled.dispose();
    }
  }

  /** Estimates tokens from the text length, because the server has no token counter. */
  count(text: string | vscode.LanguageModelChatRequestMessage): number {
    const whole = typeof text === 'string' ? text : readPartTexts(text.content);
    return Math.ceil(whole.length / conservativeTokenLength) + (typeof text === 'string' ? 0 : messageFrame);
  }

  private async describeModel(model: ModelInfo): Promise<vscode.LanguageModelChatInformation> {
    const { name, family, parameterSize, quantization, digest, capabilities } = model;
    const window = await this.services.windows.tokensFor(model);
    const about = [parameterSize && parameterCount(parameterSize), quantization]
      .filter((part) => part !== null && part !== '')
      .join(' · ');
    return {
      id: name,
      name,
      family: family ?? name,
      version: digest.slice(0, 12) || '1',
      ...(about !== '' && { detail: about }),
      tooltip: vscode.l10n.t('{0} on your own Ollama server. Data is sent only to this server.', name),
      maxInputTokens: window,
      maxOutputTokens: window,
      // Editors without data parts cannot attach images.
      capabilities: { toolCalling: capabilities.tools, imageInput: capabilities.vision && 'LanguageModelDataPart' in vscode },
    };
  }

  private async createRequest(
    model: ModelInfo,
    messages: readonly vscode.LanguageModelChatRequestMessage[],
    { tools, modelOptions }: vscode.ProvideLanguageModelChatResponseOptions,
  ): Promise<ChatRequest> {
    const { agent } = this.services.settings.getConfig();
    const window = await this.services.windows.tokensFor(model);
    const offered = model.capabilities.tools ? wireTools(tools) : [];
    const temperature = numberIn(modelOptions?.['temperature']);
    const most = numberIn(modelOptions?.['max_tokens'] ?? modelOptions?.['maxTokens']);
    return {
      model: model.name,
      messages: wireMessages(messages),
      keep_alive: agent.keepAlive,
      truncate: false,
      shift: false,
      options: {
        ...requestOptions(model, window),
        ...(temperature !== undefined && { temperature }),
        ...(most !== undefined && { num_predict: most }),
      },
      ...(offered.length > 0 && { tools: offered }),
      ...(model.capabilities.thinking && { think: false }),
    };
  }
}

function numberIn(value: unknown): number | undefined {
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
}
