import { createHash } from 'node:crypto';
import type { WireModelDetails } from '../../../src/types/ollama';
import type { PromptOrder } from './chatTemplates';
import type { ToolTiming } from './doubleReply';
import { goQuote } from './goJson';

/** The two columns of behaviour that clients must live with. */
export type ServerAge = '0.17.4' | '0.32.15';

export type Capability = 'completion' | 'tools' | 'insert' | 'vision' | 'embedding' | 'thinking' | 'decision';

/** A model as a test declares it; everything but the name has a sensible default. */
export interface ModelSpec {
  /** With or without a tag; `latest` is added. */
  name: string;
  /** What `/api/show` says. Default: completion. */
  capabilities?: readonly Capability[];
  /** What `/api/tags` says, rightly or wrongly. Default: wrong for embedding models and for those on the native path, as on real servers. */
  tagsCapabilities?: readonly string[];
  /** The length the model was trained for. Default 8192. */
  contextLength?: number;
  /** `native`: calls in the final line; `rendered`: calls in their own lines; `harmony`: gpt-oss. Default: rendered. */
  path?: ToolTiming;
  architecture?: string;
  template?: string;
  system?: string;
  license?: string;
  /** The Modelfile's parameters; a list stands for a repeated key (`stop`). */
  parameters?: Readonly<Record<string, string | number | readonly string[]>>;
  /** 64 hex digits. Default: derived from the name. */
  digest?: string;
  /** Bytes. */
  size?: number;
  sizeVram?: number;
  /** What `/api/ps` says of its memory when it is loaded with a window, in bytes. Default: twice its size, and `sizeVram`. */
  memoryAt?: (window: number) => { size: number; vram: number };
  /** More of `model_info` in `/api/show`. */
  modelInfo?: Readonly<Record<string, unknown>>;
  details?: WireModelDetails;
  /** Levels of thinking in `/api/show`; servers before 0.40 name none. */
  thinking?: { values: (boolean | string)[]; default?: boolean | string };
  embeddingLength?: number;
  modifiedAt?: Date;
  /** Tokens of a text. Default: one for every four characters, rounded up. */
  countTokens?: (text: string) => number;
  /** The server counts what came from its cache, as it does from about 0.33.3 on. */
  countsCache?: boolean;
  /** Order in which the template writes a chat, for what the cache keeps of it. Default: `deepseek`, in which nothing moves. */
  promptOrder?: PromptOrder;
  /** Silence for each token of a prompt that is not in the cache. Default: none. */
  promptTokenMs?: number;
  /** Silence while the model is loaded. */
  loadDelayMs?: number;
  /** Silence while the model is loaded, until the promise settles. */
  loading?: Promise<unknown>;
  /** Loading fails with this text and status 500. */
  loadError?: string;
}

/** A model of the double with all defaults filled in. */
export class DoubleModel {
  /** `name:tag`, as tags and ps show it. */
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

  /** `registry.ollama.ai/library/m:latest`, as the capability errors name it. */
  get fullName(): string {
    return this.name.includes('/') ? this.name : `registry.ollama.ai/library/${this.name}`;
  }

  /** The Modelfile's parameters as request options. */
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

  /** The `parameters` text of `/api/show`: keys padded to 30 columns, strings quoted. */
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

/** The short canonical name: default host and namespace removed, `latest` added where there is no tag. */
export function withTag(name: string): string {
  const short = name.replace(/^registry\.ollama\.ai\//, '').replace(/^library\//, '');
  return /:[^/]+$/.test(short) ? short : `${short}:latest`;
}

function isList(value: string | number | readonly string[]): value is readonly string[] {
  return Array.isArray(value);
}
