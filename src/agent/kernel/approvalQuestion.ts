import type { EntryData } from '../../protocol/entries';

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
  | 'sandbox'
>;
