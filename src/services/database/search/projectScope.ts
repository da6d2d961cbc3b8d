import { storableText } from '../log/entryFields';

/**
 * Bounds of a search whose results a model is given: sessions by the folder that they were begun in. Entries that hold what looks like a key are
 * left out.
 */
export interface ProjectScope {
  /** Folders that are open, as `sessions.project_path` has them. Without any, the project is the sessions without a folder. */
  folders: readonly string[];
  /** True for all sessions but those. */
  isOther: boolean;
}

/** Returns an SQL condition on a row of `sessions` named `s`, with its named values. */
export function scopeCondition({ folders, isOther }: ProjectScope): { condition: string; values: Record<string, string> } {
  const own =
    folders.length === 0
      ? { condition: 's.project_path IS NULL', values: {} }
      : {
          condition: 'ifnull(s.project_path IN (SELECT value FROM json_each(:folders)), 0)',
          values: { folders: JSON.stringify(folders.map(storableText)) },
        };
  return isOther ? { ...own, condition: `NOT (${own.condition})` } : own;
}
