import type { AskedQuestion } from './askedQuestion';
import { questionRows } from './questionRows';

/** Terminal that a person may sit at. */
export interface AskingTerminal {
  note(text: string): void;
  /** Begins a new line, without colours that something else has left. */
  fresh(): void;
  /** Asks for a line; null where nobody is there. What was typed before is not taken for it. */
  askText: ((prompt: string) => Promise<string>) | null;
  size(): { columns: number; rows: number };
}

/** Rows of a page at the least, and those that the prompt takes. */
const [leastRows, promptRows] = [5, 2];

/** Asks yes or no. A yes counts once everything was shown; `allow` says yes before. False where nobody is there. */
export async function askYesNo(terminal: AskingTerminal, question: AskedQuestion): Promise<boolean> {
  const { askText } = terminal;
  if (askText === null) return false;
  const pages = begun(terminal, question);
  for (const [index, page] of pages.entries()) {
    terminal.note(`${page.join('\n')}\n`);
    const isLast = index === pages.length - 1;
    const prompt = isLast
      ? 'Allow? [y/N] '
      : `Page ${index + 1} of ${pages.length}. Enter: next page, n: no, allow: yes without reading on > `;
    let answer = (await askText(prompt)).trim().toLowerCase();
    if (isLast) return answer === 'y' || answer === 'yes' || answer === 'allow';
    while (answer !== '') {
      if (answer === 'allow') return true;
      if (answer === 'n' || answer === 'no') return false;
      answer = (await askText(prompt)).trim().toLowerCase();
    }
  }
  return false;
}

/** Asks for words; empty where nobody is there. */
export async function askForWords(terminal: AskingTerminal, question: AskedQuestion): Promise<string> {
  const { askText } = terminal;
  if (askText === null) return '';
  const pages = begun(terminal, question);
  for (const [index, page] of pages.slice(0, -1).entries()) {
    terminal.note(`${page.join('\n')}\n`);
    await askText(`Page ${index + 1} of ${pages.length}. Enter: next page > `);
  }
  terminal.note(`${(pages.at(-1) ?? []).join('\n')}\n`);
  return askText('> ');
}

/** Shows a question that nobody here answers, and what becomes of it. */
export function tellQuestion(terminal: AskingTerminal, question: AskedQuestion, outcome: string): void {
  terminal.note(`\n${questionRows(question, terminal.size().columns).join('\n')}\n${outcome}\n`);
}

function begun(terminal: AskingTerminal, question: AskedQuestion): string[][] {
  const { columns, rows } = terminal.size();
  const all = questionRows(question, columns);
  const most = Math.max(leastRows, rows - promptRows);
  terminal.fresh();
  return Array.from({ length: Math.ceil(all.length / most) }, (_, index) => all.slice(index * most, (index + 1) * most));
}
