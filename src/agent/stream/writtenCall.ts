import { formatInEnglish } from '../../types/format';
import { cutHead, cutTail } from '../../types/cutText';

/** Call that a model wrote as text. */
export interface WrittenCall {
  name: string;
  input: Record<string, unknown>;
  /** Descriptions of the repairs that were needed to parse the call. */
  repairs?: string[];
  /** Error message for the model if the call cannot run, and the text that the model wrote. */
  unreadable?: { problem: string; written: string };
  /** True if the answer did not announce the call. The user must then approve destructive effects. */
  isUnannounced?: boolean;
}

/** Name that is used for a call without a name. */
export const nameless = 'tool call';
/** Maximum characters of an unreadable call that are returned to the model. */
const keptCharacters = 2000;

export function unreadable(name: string, problem: string, text: string): WrittenCall {
  const left = text.length - keptCharacters;
  const written =
    left <= 0
      ? text
      : `${cutHead(text, keptCharacters / 2)}\n[… ${formatInEnglish(left)} characters …]\n${cutTail(text, keptCharacters / 2)}`;
  return { name, input: {}, unreadable: { problem, written } };
}

/** Returns a call that ends too early. `where` is the incomplete part, if known. */
export function endsInTheMiddle(name: string, where: string, text: string): WrittenCall {
  return unreadable(name, `it ends in the middle${where}, after ${formatInEnglish(text.length)} characters`, text);
}

/** Returns the name of a call at the beginning of its text. */
export function nameIn(text: string): string | null {
  const found =
    /["'](?:name|function|tool|tool_name)["']\s*:\s*["']([\w.:-]+)["']|<(?:function|invoke)(?:=| name=)["']?([\w.:-]+)["']?>|^\s*\[?\s*([A-Za-z_][\w.]*)\(/.exec(
      text,
    );
  return found?.[1] ?? found?.[2] ?? found?.[3] ?? null;
}

/** Words of the call formats that are not tool names. */
const formWords = new Set(['function', 'json', 'assistant', 'commentary']);

/** Returns the tool name in the text before the arguments. This is the last word that does not belong to the format. */
export function nameInHead(head: string): string | null {
  const [name] = head
    .replaceAll(/\[CALL_ID\]\s*[\w-]+/g, ' ')
    .replaceAll(/<[^>]*>|\[[A-Z_]+\]|```\w*/g, ' ')
    .split(/\s+/)
    .filter((word) => word !== '' && !formWords.has(word))
    .slice(-1);
  // The formats are `to=functions.name` for gpt-oss, `call:name` for Gemma and `functions.name:0` for Kimi.
  return name?.replace(/^to=(?:functions\.)?|^call:|^functions\.(?=.+:\d+$)/, '').replace(/(?<=.):\d+$/, '') ?? null;
}
