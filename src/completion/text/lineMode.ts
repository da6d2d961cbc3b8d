export interface LineQuestion {
  before: string;
  after: string;
  languageId: string;
  lineCount: number;
}

/** Decides whether one line or a block is to be suggested. */
export function decideLines({ before, after, lineCount }: LineQuestion): 'single' | 'block' {
  const line = before.slice(before.lastIndexOf('\n') + 1);
  const tail = after.split('\n', 1)[0] ?? '';
  return line.trim() === '' && tail.trim() === '' && lineCount < 8000 ? 'block' : 'single';
}
