import type { EntryData } from '../../protocol/entries';

/** Question whether something may be done, as an `approval` entry holds it. */
export type ApprovalQuestion = Pick<
  EntryData<'approval'>,
  | 'kind'
  | 'command'
  | 'cwd'
  | 'path'
  | 'newPath'
  | 'projects'
  | 'operation'
  | 'diff'
  | 'severity'
  | 'parts'
  | 'reasons'
  | 'tool'
  | 'canAllowAlways'
>;
