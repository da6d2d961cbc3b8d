/** A call that a model printed as text. */
export interface WrittenCall {
  name: string;
  input: Record<string, unknown>;
  /** Repairs that were needed to read it, in words. */
  repairs?: string[];
  /** Problem, in words for the model, of a call that cannot be run, with the text that the model wrote. */
  unreadable?: { problem: string; written: string };
}

/** Name of a call that has none. */
export const nameless = 'tool call';
/** Number of characters of an unreadable call that are kept for the model. */
const keptCharacters = 2000;

export function unreadable(name: string, problem: string, text: string): WrittenCall {
  const left = text.length - keptCharacters;
  const written =
    left <= 0
      ? text
      : `${text.slice(0, keptCharacters / 2)}\n[… ${count(left)} characters …]\n${text.slice(-keptCharacters / 2)}`;
  return { name, input: {}, unreadable: { problem, written } };
}

/** Describes a call that ends too early. `where`: what it ends in, if that is known. */
export function endsInTheMiddle(name: string, where: string, text: string): WrittenCall {
  return unreadable(name, `it ends in the middle${where}, after ${count(text.length)} characters`, text);
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}

/** Words of forms that are no tool's name. */
const formWords = new Set(['function', 'json', 'assistant', 'commentary']);

/** Returns the tool's name in the text before the arguments: the last word that is none of the form's own. */
export function nameInHead(head: string): string | null {
  const [name] = head
    .replaceAll(/\[CALL_ID\]\s*[\w-]+/g, ' ')
    .replaceAll(/<[^>]*>|\[[A-Z_]+\]|```\w*/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '' && !formWords.has(word))
    .slice(-1);
  // gpt-oss: `to=functions.name`. Gemma: `call:name`. Kimi: `functions.name:0`.
  return name?.replace(/^to=(?:functions\.)?|^call:|^functions\.(?=.+:\d+$)/, '').replace(/(?<=.):\d+$/, '') ?? null;
}
