import { RequestError, type SessionConfigOption, type SessionModeState } from '@agentclientprotocol/sdk';
import { selectedModel } from '../../services/model/modelSelection';
import { isCloudModel, type ModelInfo } from '../../types/model';
import { findModel } from '../../types/modelNames';
import type { ChatMode } from '../../types/modes';
import type { ThinkValue } from '../../types/ollama';
import type { SessionRecord } from '../../types/session';
import type { HeadlessCore } from '../headlessCore';

export type AcpMode = Extract<ChatMode, 'ask' | 'plan' | 'agent'>;

const modes: readonly { id: AcpMode; name: string; description: string }[] = [
  { id: 'agent', name: 'Agent', description: 'Edits files and runs commands; asks before commands' },
  { id: 'plan', name: 'Plan', description: 'Explores the project and writes a plan; changes nothing' },
  { id: 'ask', name: 'Ask', description: 'Answers questions; changes nothing' },
];

type Models = Pick<HeadlessCore['models'], 'list' | 'setThink'>;

/** Selected mode, model and thinking level of a session, as config options of the protocol. */
export class SessionConfig {
  mode: AcpMode;
  /** Model that the client selected or the loaded session used. Null if there is none. */
  private chosen: string | null;

  constructor(
    private readonly core: { models: Models; settings: HeadlessCore['settings'] },
    record?: Pick<SessionRecord, 'mode' | 'model'>,
  ) {
    // A mode that is not available in other editors becomes `ask`, which changes nothing.
    this.mode = record === undefined ? 'agent' : (modes.find(({ id }) => id === record.mode)?.id ?? 'ask');
    this.chosen = record?.model ?? null;
  }

  /** Returns the model of the next message, or null if none is known. */
  async model(): Promise<string | null> {
    const { models } = await this.core.models.list();
    // Replace a model that was deleted, unless the list is unknown.
    if (this.chosen !== null && (models.length === 0 || findModel(models, this.chosen) !== undefined)) return this.chosen;
    return selectedModel(this.mode, this.core.settings, models);
  }

  /** Returns the modes for clients without config options. */
  modeState(): SessionModeState {
    return { currentModeId: this.mode, availableModes: [...modes] };
  }

  /** Returns all options with their current values, the most important one first. */
  async options(): Promise<SessionConfigOption[]> {
    const { models } = await this.core.models.list();
    const name = await this.model();
    const model = name === null ? undefined : findModel(models, name);
    return [
      {
        id: 'mode',
        name: 'Mode',
        category: 'mode',
        type: 'select',
        currentValue: this.mode,
        options: modes.map(({ id, ...about }) => ({ value: id, ...about })),
      },
      ...(name === null ? [] : [modelOption(model?.name ?? name, models)]),
      ...(model?.thinking ? [thinkingOption(model, model.thinking.values)] : []),
    ];
  }

  /** Sets an option. Throws an invalid-parameters error for an unknown option or value. */
  async set(id: string, value: unknown): Promise<void> {
    const option = (await this.options()).find((one) => one.id === id);
    if (option?.type !== 'select') throw RequestError.invalidParams(undefined, `Unknown option: ${id}`);
    const values = option.options.flatMap((one) => ('value' in one ? [one.value] : []));
    const given = values.find((one) => one === value);
    if (given === undefined) throw RequestError.invalidParams(undefined, `Unknown value of ${id}: ${String(value)}`);
    if (id === 'mode') this.mode = given as AcpMode;
    else if (id === 'model') this.chosen = given;
    else await this.setThinking(given);
  }

  private async setThinking(given: string): Promise<void> {
    const name = (await this.model()) ?? '';
    const { models } = await this.core.models.list();
    const level = findModel(models, name)?.thinking?.values.find((one) => String(one) === given);
    await this.core.models.setThink(name, level ?? null);
  }
}

/** Returns the option for the model. Omits cloud models, because the protocol cannot ask for the required consent. */
function modelOption(current: string, models: readonly ModelInfo[]): SessionConfigOption {
  const usable = models.filter(({ name, enabled, capabilities }) => enabled && capabilities.chat && !isCloudModel(name));
  // Use a fixed order, because the server lists the last changed model first.
  const sorted = usable.toSorted((one, other) => (one.name < other.name ? -1 : 1));
  const offered = sorted.map((model) => ({ value: model.name, name: model.name, ...describeModel(model) }));
  const isListed = offered.some(({ value }) => value === current);
  return {
    id: 'model',
    name: 'Model',
    category: 'model',
    type: 'select',
    currentValue: current,
    options: isListed ? offered : [{ value: current, name: current }, ...offered],
  };
}

function describeModel({ parameterSize, capabilities }: ModelInfo): { description?: string } {
  const facts = [
    ...(parameterSize === null ? [] : [`${parameterSize} parameters`]),
    ...(capabilities.vision ? ['reads images'] : []),
    ...(capabilities.thinking ? ['thinks'] : []),
    ...(capabilities.tools ? [] : ['no tool support']),
  ];
  return facts.length === 0 ? {} : { description: facts.join(' · ') };
}

/** Returns the option for the thinking level. The level belongs to the model, as in the other views of the same storage. */
function thinkingOption({ think, thinking }: ModelInfo, levels: readonly ThinkValue[]): SessionConfigOption {
  const isChosen = think !== null && think !== undefined && levels.includes(think);
  const current = isChosen ? think : (thinking?.default ?? true);
  const offered = levels.includes(current) ? levels : [current, ...levels];
  return {
    id: 'thinking',
    name: 'Thinking',
    category: 'thought_level',
    type: 'select',
    currentValue: String(current),
    options: offered.map((level) => ({ value: String(level), name: nameOfLevel(level) })),
  };
}

function nameOfLevel(level: ThinkValue): string {
  if (typeof level === 'boolean') return level ? 'On' : 'Off';
  return level.charAt(0).toUpperCase() + level.slice(1);
}
