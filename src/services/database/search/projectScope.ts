import { storableText } from '../log/entryFields';

/** Limits of a search by the model: sessions that were started in certain folders. Entries that may contain a key are omitted. */
export interface ProjectScope {
  /** Open folders, in the format of `sessions.project_path`. If empty, the scope is all sessions without a folder. */
  folders: readonly string[];
  /** True to select all sessions outside this scope instead. */
  isOther: boolean;
}

/** Returns an SQL condition on `sessions s`, with its named values. */
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
