import type { ModelCapabilities, ThinkingLevels } from '../../../types/model';
import type { ShowResponse, ThinkValue } from '../../../types/ollama';
import { unquoteGo } from './goQuoted';

/** Capabilities of a model if the server reports none: chat only. */
export const unknownCapabilities: Readonly<ModelCapabilities> = {
  chat: true,
  fim: false,
  tools: false,
  vision: false,
  embedding: false,
  thinking: false,
};

/** Capability of models that return decisions instead of text. This extension cannot use such a model. */
const decisionCapability = 'decision';

/** Converts the capability strings of `/api/show`. Old servers do not send them. */
export function toCapabilities(capabilities: readonly string[] | null | undefined): ModelCapabilities {
  if (!capabilities) return { ...unknownCapabilities };
  if (capabilities.includes(decisionCapability)) return { ...unknownCapabilities, chat: false };
  return {
    chat: capabilities.includes('completion'),
    fim: capabilities.includes('insert'),
    tools: capabilities.includes('tools'),
    vision: capabilities.includes('vision'),
    embedding: capabilities.includes('embedding'),
    thinking: capabilities.includes('thinking'),
  };
}

/**
 * Returns the context length with which the model was trained, in tokens. Reads
 * `*.context_length` of its architecture. Returns null if this value is missing.
 */
export function extractContextLength(show: Pick<ShowResponse, 'model_info'>): number | null {
  const architecture = show.model_info['general.architecture'];
  const own = typeof architecture === 'string' ? show.model_info[`${architecture}.context_length`] : undefined;
  const lengths = Object.entries(show.model_info).filter(([key]) => key.endsWith('.context_length'));
  return [own, ...lengths.map(([, length]) => length)].find(isTokenCount) ?? null;
}

/** Returns the `stop` values in the `parameters` text of `/api/show`. Each line is a padded key and a Go-quoted value. */
export function parseStopParameters(parameters: string | null | undefined): string[] {
  const stops: string[] = [];
  for (const line of (parameters ?? '').split('\n')) {
    const value = /^\s*stop\s+(.+?)\s*$/.exec(line)?.[1];
    const stop = value === undefined ? '' : unquoteGo(value);
    if (stop !== '' && !stops.includes(stop)) stops.push(stop);
  }
  return stops;
}

/** Returns the distinct option names in the `parameters` text of `/api/show`, except options with the default value −1. */
export function parseOptionNames(parameters: string | null | undefined): string[] {
  const names = (parameters ?? '').split('\n').map((line) => /^\s*([a-z_]+)\s+(?!-1\s*$)/.exec(line)?.[1]);
  return [...new Set(names.filter((name) => name !== undefined))].sort();
}

/** Reads the thinking levels in `/api/show`. Returns null if no level is usable. */
export function readThinkingLevels({ thinking }: Pick<ShowResponse, 'thinking'>): ThinkingLevels | null {
  const listed = Array.isArray(thinking?.values) ? (thinking.values as unknown[]) : [];
  const values = [...new Set(listed.filter(isThinkValue))];
  const usual = thinking?.default;
  return values.length === 0 ? null : { values, default: isThinkValue(usual) && values.includes(usual) ? usual : null };
}

function isThinkValue(value: unknown): value is ThinkValue {
  return typeof value === 'boolean' || (typeof value === 'string' && value !== '' && value.length <= 40);
}

function isTokenCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value > 0;
}
