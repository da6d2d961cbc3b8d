import type { ModelInfo } from '../../types/model';
import { modelKey } from '../../types/modelNames';
import type { ChatRequest } from '../../types/ollama';
import { measuredTokenLength, usualTokenLength } from '../../types/tokenLength';
import type { Logger } from '../../utils/logger';

/** Persistent store for the measured characters per token, by the digest of the model. */
export interface TokenLengthStore {
  readTokenLength(digest: string): Promise<number | undefined>;
  keepTokenLength(digest: string, characters: number): Promise<void>;
}

/** Minimum tokens of a prompt for a useful measurement. */
const minTokens = 300;
/** Minimum relative change before a new length is stored. */
const minChange = 0.05;
/** Approximate number of characters that a chat template adds to a message. */
const messageFrame = 16;

/** Characters per token of each model, as measured in this or an earlier session. */
export class TokenLengths {
  private readonly known = new Map<string, number>();

  constructor(
    private readonly store: TokenLengthStore,
    private readonly logger: Logger,
  ) {}

  /** Resolves with the characters per token, or with a typical value if nothing was measured. */
  async of(model: Pick<ModelInfo, 'digest' | 'name'>): Promise<number> {
    const key = modelKey(model);
    const known = this.known.get(key);
    if (known !== undefined) return known;
    try {
      const stored = (await this.store.readTokenLength(key)) ?? usualTokenLength;
      this.known.set(key, stored);
      return stored;
    } catch (error) {
      this.logger.error('Could not read the length of a token', error);
      return usualTokenLength;
    }
  }

  async note(model: Pick<ModelInfo, 'digest' | 'name'>, request: ChatRequest, promptTokens: number): Promise<void> {
    // Image tokens do not come from text.
    if (promptTokens < minTokens || request.messages.some(({ images }) => images !== undefined)) return;
    const before = await this.of(model);
    const length = measuredTokenLength(countCharacters(request), promptTokens);
    if (Math.abs(length - before) < before * minChange) return;
    const key = modelKey(model);
    this.known.set(key, length);
    await this.store
      .keepTokenLength(key, length)
      .catch((error: unknown) => this.logger.error('Could not keep the length of a token', error));
  }
}

function countCharacters({ messages, tools }: ChatRequest): number {
  const told = messages.reduce(
    (sum, { content, tool_calls: calls }) => sum + content.length + (calls ? JSON.stringify(calls).length : 0) + messageFrame,
    0,
  );
  return told + (tools ? JSON.stringify(tools).length : 0);
}
