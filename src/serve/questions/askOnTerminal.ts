import type { AskedQuestion } from './askedQuestion';
import { questionRows } from './questionRows';

export interface AskingTerminal {
  note(text: string): void;
  /** Starts a new line and resets the colors. */
  fresh(): void;
  /** Asks for a line of text and discards earlier input. Null without a user. Rejects when the signal aborts. */
  askText: ((prompt: string, signal?: AbortSignal) => Promise<string>) | null;
  size(): { columns: number; rows: number };
}

/** Minimum number of rows per page. */
const leastRows = 5;
/** Number of rows for the prompt. */
const promptRows = 2;

/**
 * Asks a yes/no question. Accepts yes only after everything was shown, but `allow` at any
 * time. Without a user, resolves with false.
 */
export async function askYesNo(terminal: AskingTerminal, question: AskedQuestion): Promise<boolean> {
  const { askText } = terminal;
  if (askText === null) return false;
  const pages = begun(terminal, question);
  for (const [index, page] of pages.entries()) {
    terminal.note(`${page.join('\n')}\n`);
    const isLast = index === pages.length - 1;
    const prompt = isLast
      ? 'Allow? [y/N] '
      : `Page ${index + 1} of ${pages.length}. Enter: next page, n: no, allow: yes without the other pages > `;
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

/**
 * Asks for the number of a choice after everything was shown. Resolves with its index. `count` is the number of choices.
 * The last choice changes nothing. It is the default if the user enters no number, or if there is no user.
 */
export async function askForNumber(terminal: AskingTerminal, question: AskedQuestion, count: number): Promise<number> {
  const { askText } = terminal;
  const nothing = count - 1;
  if (askText === null) return nothing;
  const pages = begun(terminal, question);
  const isNo = (answer: string): boolean => answer === 'n' || answer === 'no';
  for (const [index, page] of pages.slice(0, -1).entries()) {
    terminal.note(`${page.join('\n')}\n`);
    const prompt = `Page ${index + 1} of ${pages.length}. Enter: next page, n: no > `;
    if (isNo((await askText(prompt)).trim().toLowerCase())) return nothing;
  }
  terminal.note(`${(pages.at(-1) ?? []).join('\n')}\n`);
  for (;;) {
    const answer = (await askText(`Number of the answer [${count}] `)).trim().toLowerCase();
    if (answer === '' || isNo(answer)) return nothing;
    if (/^\d$/.test(answer) && Number(answer) >= 1 && Number(answer) <= count) return Number(answer) - 1;
  }
}

/** Asks for a text. Without a user, resolves with an empty text. */
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

/** Shows a question that is not answered here, and its outcome. */
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
