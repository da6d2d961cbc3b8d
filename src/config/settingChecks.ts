import { t } from '../utils/l10n';

/** Check of a setting, written by hand: every window reads settings at its start, and schemas would be most of that cost. */
export interface SettingCheck<T> {
  readonly default: T;
  /** Returns the problem with a value, in words for a person; null if it is a usable `T`. */
  readonly problemOf: (value: unknown) => string | null;
}

/** Checks a text; `refuse` says what is wrong with one, null when nothing is. */
export function text(fallback: string, refuse: (value: string) => string | null = () => null): SettingCheck<string> {
  return { default: fallback, problemOf: (value) => (typeof value === 'string' ? refuse(value) : t('Enter a text.')) };
}

interface Range {
  min?: number;
  max?: number;
}

export function number(fallback: number, { min = -Infinity, max = Infinity }: Range = {}): SettingCheck<number> {
  const problemOf = (value: unknown) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return t('Enter a number.');
    if (value < min) return min === 1 ? t('Enter a number greater than 0.') : t('Enter a number of at least {0}.', min);
    return value > max ? t('Enter a number of at most {0}.', max) : null;
  };
  return { default: fallback, problemOf };
}

export function whole(fallback: number, range: Range = {}): SettingCheck<number> {
  const { problemOf } = number(fallback, range);
  return {
    default: fallback,
    problemOf: (value) =>
      typeof value === 'number' && Number.isFinite(value) && !Number.isSafeInteger(value)
        ? t('Enter a whole number.')
        : problemOf(value),
  };
}

/** Checks a number, or a text of which each value is a whole match. */
export function textOrNumber(fallback: string | number, pattern: RegExp, problem: () => string): SettingCheck<string | number> {
  return {
    default: fallback,
    problemOf: (value) => {
      const isFit = typeof value === 'string' ? pattern.test(value) : typeof value === 'number' && Number.isFinite(value);
      return isFit ? null : problem();
    },
  };
}

/** Checks names, each with yes or no. */
export function switches(problem: () => string): SettingCheck<Readonly<Record<string, boolean>>> {
  return {
    default: {},
    problemOf: (value) => (isNamed(value) && Object.values(value).every((one) => typeof one === 'boolean') ? null : problem()),
  };
}

/** Checks names, each with whatever there is to say of it. */
export function named(problem: () => string): SettingCheck<Readonly<Record<string, unknown>>> {
  return { default: {}, problemOf: (value) => (isNamed(value) ? null : problem()) };
}

function isNamed(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function flag(fallback: boolean): SettingCheck<boolean> {
  return { default: fallback, problemOf: (value) => (typeof value === 'boolean' ? null : t('Choose true or false.')) };
}

export function texts(fallback: readonly string[]): SettingCheck<readonly string[]> {
  const isList = (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === 'string');
  return { default: fallback, problemOf: (value) => (isList(value) ? null : t('Enter a list of texts.')) };
}
