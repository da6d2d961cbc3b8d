import type { ModelInfo } from '../../types/model';
import type { ChatRequest } from '../../types/ollama';
import { measuredTokenLength, usualTokenLength } from '../../types/tokenLength';
import type { Logger } from '../../utils/logger';

/** Store of the measured characters of a token between sessions, by the model's digest. */
export interface TokenLengthStore {
  tokenLengthOf(digest: string): Promise<number | undefined>;
  keepTokenLength(digest: string, characters: number): Promise<void>;
}

/** Tokens of a prompt below which it tells little; and the share by which a length has to differ to be kept anew. */
const [telling, worthKeeping] = [300, 0.05];
/** Characters that a template puts around a message, about. */
const messageFrame = 16;

/** Knows how many characters make a token of each model: as measured with its prompts, in this session or an earlier one. */
export class TokenLengths {
  private readonly known = new Map<string, number>();

  constructor(
    private readonly store: TokenLengthStore,
    private readonly logger: Logger,
  ) {}

  /** Resolves with the characters of a token, the usual number where nothing is measured. */
  async of({ digest, name }: Pick<ModelInfo, 'digest' | 'name'>): Promise<number> {
    const key = digest || name;
    const known = this.known.get(key);
    if (known !== undefined) return known;
    try {
      const stored = (await this.store.tokenLengthOf(key)) ?? usualTokenLength;
      this.known.set(key, stored);
      return stored;
    } catch (error) {
      this.logger.error('Could not read the length of a token', error);
      return usualTokenLength;
    }
  }

  /** Notes the tokens that the server counted in a request. */
  async note(model: Pick<ModelInfo, 'digest' | 'name'>, request: ChatRequest, promptTokens: number): Promise<void> {
    // The tokens of an image are nobody's characters.
    if (promptTokens < telling || request.messages.some(({ images }) => images !== undefined)) return;
    const before = await this.of(model);
    const length = measuredTokenLength(charactersOf(request), promptTokens);
    if (Math.abs(length - before) < before * worthKeeping) return;
    const key = model.digest || model.name;
    this.known.set(key, length);
    await this.store
      .keepTokenLength(key, length)
      .catch((error: unknown) => this.logger.error('Could not keep the length of a token', error));
  }
}

function charactersOf({ messages, tools }: ChatRequest): number {
  const told = messages.reduce(
    (sum, { content, tool_calls: calls }) => sum + content.length + (calls ? JSON.stringify(calls).length : 0) + messageFrame,
    0,
  );
  return told + (tools ? JSON.stringify(tools).length : 0);
}
