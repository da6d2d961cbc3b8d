export interface Dirty {
  raw: string;
  prefix: string;
  suffix: string;
  languageId: string;
  multiline: boolean;
  family: string | null;
}

/** Returns what of a model's words can be shown; undefined where nothing is left. */
export function cleanCompletion({ raw, multiline }: Dirty): string | undefined {
  const text = (multiline ? raw : (raw.split('\n')[0] ?? '')).trimEnd();
  return text.trim() === '' ? undefined : text;
}
