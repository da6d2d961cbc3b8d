import { t } from '../utils/l10n';

/**
 * Check of a setting. Written by hand, because every window reads settings at startup, and
 * loading schemas would take most of this time.
 */
export interface SettingCheck<T> {
  readonly default: T;
  /** Returns the problem of a value for the user, or null if the value is a valid `T`. */
  readonly problemOf: (value: unknown) => string | null;
}

/** Checks a string. `refuse` returns the problem of a value, or null. */
export function text(fallback: string, refuse: (value: string) => string | null = () => null): SettingCheck<string> {
  return { default: fallback, problemOf: (value) => (typeof value === 'string' ? refuse(value) : t('Enter a string.')) };
}

/** Checks that a value is one of several strings. */
export function oneOf<T extends string>(fallback: T, values: readonly T[]): SettingCheck<T> {
  const isOne = (value: unknown) => values.some((one) => one === value);
  return { default: fallback, problemOf: (value) => (isOne(value) ? null : t('Enter one of: {0}.', values.join(', '))) };
}

interface Range {
  min: number;
  max: number;
}

export function number(fallback: number, { min, max }: Range): SettingCheck<number> {
  const findProblem = (value: unknown) => {
    if (typeof value !== 'number' || !Number.isFinite(value)) return t('Enter a number.');
    if (value < min) return min === 1 ? t('Enter a number greater than 0.') : t('Enter a number of at least {0}.', min);
    return value > max ? t('Enter a number of at most {0}.', max) : null;
  };
  return { default: fallback, problemOf: findProblem };
}

export function whole(fallback: number, range: Range): SettingCheck<number> {
  const { problemOf } = number(fallback, range);
  return {
    default: fallback,
    problemOf: (value) => problemOf(value) ?? (Number.isInteger(value) ? null : t('Enter a whole number.')),
  };
}

/** Checks a number, or a string that matches the pattern. */
export function textOrNumber(fallback: string | number, pattern: RegExp, problem: () => string): SettingCheck<string | number> {
  return {
    default: fallback,
    problemOf: (value) => {
      const isFit = typeof value === 'string' ? pattern.test(value) : typeof value === 'number' && Number.isFinite(value);
      return isFit ? null : problem();
    },
  };
}

/** Checks an object of booleans. */
export function booleanRecord(problem: () => string): SettingCheck<Readonly<Record<string, boolean>>> {
  return {
    default: {},
    problemOf: (value) => (isNamed(value) && Object.values(value).every((one) => typeof one === 'boolean') ? null : problem()),
  };
}

/** Checks an object with values of any type. */
export function record(problem: () => string): SettingCheck<Readonly<Record<string, unknown>>> {
  return { default: {}, problemOf: (value) => (isNamed(value) ? null : problem()) };
}

function isNamed(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function flag(fallback: boolean): SettingCheck<boolean> {
  return { default: fallback, problemOf: (value) => (typeof value === 'boolean' ? null : t('Select true or false.')) };
}

export function texts(fallback: readonly string[]): SettingCheck<readonly string[]> {
  const isList = (value: unknown) => Array.isArray(value) && value.every((item) => typeof item === 'string');
  return { default: fallback, problemOf: (value) => (isList(value) ? null : t('Enter a list of strings.')) };
}
