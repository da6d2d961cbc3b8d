import { z } from 'zod';
import type { ChatMode } from '../types/session';

/** Reads one setting by its key without the `ollamaCopilot.` prefix; `undefined` when nobody has set it. */
export interface SettingsSource {
  get(key: string): unknown;
}

export interface InvalidSetting {
  /** Full name, e.g. `ollamaCopilot.agent.maxIterations`. */
  setting: string;
  problem: string;
}

const positive = z.number().int().positive();

/** Every setting with its schema and default (package.json repeats the defaults; a test holds the two together). */
const declared = {
  baseUrl: z
    .string()
    .max(2048)
    .regex(/^https?:\/\//i)
    .default('http://localhost:11434'),
  storagePath: z
    .string()
    .refine((path) => !path.includes('\0'), 'No path has a NUL character')
    .default(''),
  contextWindow: positive.default(16000),
  'agentMode.model': z.string().default(''),
  'agentMode.temperature': z.number().min(0).max(2).default(0.2),
  'agentMode.maxTokens': z.number().int().default(-1),
  'askMode.model': z.string().default(''),
  'askMode.temperature': z.number().min(0).max(2).default(0.7),
  'askMode.maxTokens': z.number().int().default(-1),
  'agent.maxIterations': positive.max(1000).default(25),
  'agent.toolTimeout': positive.default(30000),
  'agent.maxActiveSessions': positive.default(1),
  'agent.maxContextWindow': positive.min(512).default(65536),
  'agent.keepAlive': z.union([z.string().regex(/^-?\d+(\.\d+)?(ms|s|m|h)([\d.]+(ms|s|m|h))*$/), z.number()]).default('30m'),
} as const;

export type SettingKey = keyof typeof declared;
type Value<K extends SettingKey> = z.infer<(typeof declared)[K]>;

export interface ModeConfig {
  model: string;
  temperature: number;
  /** Tokens of an answer at the most; negative: no limit but the window. */
  maxTokens: number;
}

export interface AgentConfig {
  maxIterations: number;
  /** Milliseconds a tool may take. */
  toolTimeout: number;
  maxActiveSessions: number;
  /** Tokens. */
  maxContextWindow: number;
  /** Ollama's `keep_alive`: a Go duration or seconds. */
  keepAlive: string | number;
}

export interface ExtensionConfig {
  baseUrl: string;
  storagePath: string;
  /** Tokens, where the model's own window is unknown. */
  contextWindow: number;
  modes: Record<ChatMode, ModeConfig>;
  agent: AgentConfig;
}

/** Settings as validated snapshots: each call reads afresh. An invalid value is reported once and replaced by its default. */
export class Settings {
  private readonly reported = new Set<string>();

  constructor(
    private readonly source: SettingsSource,
    private readonly onInvalid: (invalid: InvalidSetting) => void,
  ) {}

  getConfig(): ExtensionConfig {
    return {
      baseUrl: this.read('baseUrl').replace(/\/+$/, ''),
      storagePath: this.read('storagePath'),
      contextWindow: this.read('contextWindow'),
      modes: { agent: this.getModeConfig('agent'), ask: this.getModeConfig('ask') },
      agent: this.getAgentConfig(),
    };
  }

  getModeConfig(mode: ChatMode): ModeConfig {
    return {
      model: this.read(`${mode}Mode.model`),
      temperature: this.read(`${mode}Mode.temperature`),
      maxTokens: this.read(`${mode}Mode.maxTokens`),
    };
  }

  getAgentConfig(): AgentConfig {
    return {
      maxIterations: this.read('agent.maxIterations'),
      toolTimeout: this.read('agent.toolTimeout'),
      maxActiveSessions: this.read('agent.maxActiveSessions'),
      maxContextWindow: this.read('agent.maxContextWindow'),
      keepAlive: this.read('agent.keepAlive'),
    };
  }

  private read<K extends SettingKey>(key: K): Value<K> {
    const schema = declared[key] as unknown as z.ZodType<Value<K>>;
    const raw = this.source.get(key);
    const parsed = schema.safeParse(raw ?? undefined);
    if (parsed.success) {
      return parsed.data;
    }
    const mark = `${key}=${JSON.stringify(raw)}`;
    if (!this.reported.has(mark)) {
      this.reported.add(mark);
      this.onInvalid({ setting: `ollamaCopilot.${key}`, problem: z.prettifyError(parsed.error) });
    }
    return schema.parse(undefined);
  }
}

/** The default of every setting, by key. */
export function settingDefaults(): Record<SettingKey, unknown> {
  return Object.fromEntries(Object.entries(declared).map(([key, schema]) => [key, schema.parse(undefined)])) as Record<
    SettingKey,
    unknown
  >;
}
