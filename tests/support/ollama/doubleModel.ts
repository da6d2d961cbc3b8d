import { createHash } from 'node:crypto';
import type { WireModelDetails } from '../../../src/types/ollama';
import type { PromptOrder } from './chatTemplates';
import type { ToolTiming } from './doubleReply';
import { goQuote } from './goJson';

/** The two server versions whose behavior clients must support. */
export type ServerAge = '0.17.4' | '0.32.15';

export type Capability = 'completion' | 'tools' | 'insert' | 'vision' | 'embedding' | 'thinking' | 'decision';

/** A model as a test declares it. Every property except the name has a sensible default. */
export interface ModelSpec {
  /** Name with or without a tag. The default tag is `latest`. */
  name: string;
  /** Capabilities in `/api/show`. Default: completion. */
  capabilities?: readonly Capability[];
  /**
   * Capabilities in `/api/tags`, correct or not. Default: wrong for embedding models and for models on the native path, as on real servers.
   */
  tagsCapabilities?: readonly string[];
  /** Context length that the model was trained for. Default: 8192. */
  contextLength?: number;
  /** Delivery of tool calls: `native` in the final line, `rendered` in separate lines, `harmony` as for gpt-oss. Default: rendered. */
  path?: ToolTiming;
  architecture?: string;
  template?: string;
  system?: string;
  license?: string;
  /** Parameters in the Modelfile. A list represents a repeated key (`stop`). */
  parameters?: Readonly<Record<string, string | number | readonly string[]>>;
  /** Digest of 64 hex digits. Default: derived from the name. */
  digest?: string;
  /** Size on disk in bytes. */
  size?: number;
  sizeVram?: number;
  /** Memory in bytes that `/api/ps` reports for a context window. Default: twice the size, and `sizeVram`. */
  memoryAt?: (window: number) => { size: number; vram: number };
  /** Additional fields of `model_info` in `/api/show`. */
  modelInfo?: Readonly<Record<string, unknown>>;
  details?: WireModelDetails;
  /** Thinking levels in `/api/show`. Servers before 0.40 do not report them. */
  thinking?: { values: (boolean | string)[]; default?: boolean | string };
  embeddingLength?: number;
  modifiedAt?: Date;
  /** Counts the tokens of a text. Default: one for every four characters, rounded up. */
  countTokens?: (text: string) => number;
  /** If true, the server reports cached tokens, as it does since about 0.33.3. */
  countsCache?: boolean;
  /** Order in which the template writes a chat, which determines what the cache can reuse. Default: `deepseek`, in which nothing moves. */
  promptOrder?: PromptOrder;
  /** Delay for each prompt token that is not in the cache. Default: none. */
  promptTokenMs?: number;
  /** Delay while the model is loaded. */
  loadDelayMs?: number;
  /** Promise that loading the model waits for. */
  loading?: Promise<unknown>;
  /** Text of the error, with status 500, if loading must fail. */
  loadError?: string;
}

/** A model in the double, with all defaults filled in. */
export class DoubleModel {
  /** Name in the form `name:tag`, as in tags and ps. */
  readonly name: string;
  readonly digest: string;
  readonly capabilities: readonly Capability[];
  readonly contextLength: number;
  readonly embeddingLength: number;
  readonly architecture: string;
  readonly size: number;
  readonly modifiedAt: Date;

  constructor(
    readonly spec: ModelSpec,
    now: Date,
  ) {
    this.name = withTag(spec.name);
    this.digest = spec.digest ?? createHash('sha256').update(this.name).digest('hex');
    this.capabilities = spec.capabilities ?? ['completion'];
    this.contextLength = spec.contextLength ?? 8192;
    this.embeddingLength = spec.embeddingLength ?? (this.has('embedding') ? 384 : 576);
    this.architecture = spec.architecture ?? (this.has('embedding') ? 'bert' : 'llama');
    this.size = spec.size ?? 98_000_000;
    this.modifiedAt = spec.modifiedAt ?? now;
  }

  /** Name in the form `registry.ollama.ai/library/m:latest`, as in errors about capabilities. */
  get fullName(): string {
    return this.name.includes('/') ? this.name : `registry.ollama.ai/library/${this.name}`;
  }

  /** Parameters in the Modelfile, as request options. */
  get options(): Record<string, unknown> {
    const { stop, ...others } = this.spec.parameters ?? {};
    return stop === undefined ? others : { ...others, stop: isList(stop) ? stop : [String(stop)] };
  }

  get details(): Required<WireModelDetails> {
    return {
      parent_model: '',
      format: 'gguf',
      family: this.architecture,
      families: [this.architecture],
      parameter_size: '134.52M',
      quantization_level: 'Q4_1',
      ...this.spec.details,
    };
  }

  get tagsCapabilities(): readonly string[] {
    const unread = this.has('embedding') || this.spec.path === 'native';
    return this.spec.tagsCapabilities ?? (unread ? ['completion'] : this.capabilities);
  }

  /** Text of `parameters` in `/api/show`, with keys padded to 30 columns and quoted strings. */
  get parametersText(): string {
    return Object.entries(this.spec.parameters ?? {})
      .flatMap(([key, value]) => (isList(value) ? value.map((item) => [key, item] as const) : [[key, value] as const]))
      .map(([key, value]) => `${key.padEnd(30)} ${typeof value === 'string' ? goQuote(value) : value}`)
      .join('\n');
  }

  has(capability: Capability): boolean {
    return this.capabilities.includes(capability);
  }

  countTokens(text: string): number {
    return this.spec.countTokens?.(text) ?? Math.ceil(text.length / 4);
  }
}

/** Returns the short canonical name, without the default host and namespace. Adds `latest` if there is no tag. */
export function withTag(name: string): string {
  const short = name.replace(/^registry\.ollama\.ai\//, '').replace(/^library\//, '');
  return /:[^/]+$/.test(short) ? short : `${short}:latest`;
}

function isList(value: string | number | readonly string[]): value is readonly string[] {
  return Array.isArray(value);
}
