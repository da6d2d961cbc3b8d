import { cutHead } from '../../types/cutText';
import { isPolite, isStatement, mainClause, sentenceKind, withoutQuestions } from './sentenceKind';

/**
 * Words that express a requirement, prohibition, decision or preference, in English and
 * German. A sentence with a rule word remains unchanged. Other sentences may be summarized.
 */
const ruleWords =
  /\b(?:must|mustn['’]t|never|always|no new|don['’]?t|do not|doesn['’]t|shall|should|shouldn['’]t|can['’]?t|cannot|may not|only|no longer|instead of|rather than|prefer|avoid|without|forbid|forbidden|not allowed|required?|ensure|make sure|remember|keep|use|decided|important|entschieden|beschlossen|vereinbart|agreed|muss|müssen|musst|darf|dürfen|nie|niemals|immer|nicht|kein|keine|keinen|keiner|nur|statt|lieber|bevorzug\w*|vermeide\w*|ohne|verboten|erlaubt|wichtig|soll|sollen|sollte|verwende\w*|benutze\w*|nutze|achte|merke?|from now on|every time|by default|ab jetzt|ab sofort|von nun an|künftig|zukünftig|in zukunft|grundsätzlich|stets|jedes mal|anstatt)\b/iu;

/** Words that make a request apply beyond its answer. */
const lasting =
  /\b(?:never|always|no longer|from now on|in (?:the )?future|every time|by default|instead of|rather than|nie|niemals|immer|stets|ab jetzt|ab sofort|von nun an|künftig|zukünftig|in zukunft|grundsätzlich|jedes mal|nicht mehr|statt|anstatt)\b/iu;
const negation = /\b(?:not|don['’]?t|nicht|kein|keine|keinen|keiner)\b/iu;
const obligation = /\b(?:must|mustn['’]t|only if|muss|müssen|darf|dürfen)\b/iu;

/** Reports of a failure or of missing knowledge. They contain a negation but forbid nothing. */
const complaint =
  /(?<!\p{L})(?:funktioniert|geht|läuft|klappt|startet|verstehe|weiß|finde|sehe)(?:\s+[^\s,:;]+){0,6}?\s+nicht[.!]*$|^(?:(?:but|and|sorry),?\s+)*(?:i|it|this|that|the \w+) (?:do not|don['’]?t|doesn['’]t|can['’]?t|cannot) (?:work|understand|know|see|find|get)\b/iu;

const longest = 400;

/**
 * Returns the rules in a text, unchanged: statements and tasks with rule words, and other requests that are meant
 * to last. Questions are not rules. Very long sentences are truncated between words.
 */
export function ruleSentences(text: string): string[] {
  return splitSentences(text).filter(isRule);
}

function isRule(sentence: string): boolean {
  const kind = sentenceKind(sentence);
  if (kind === 'question') return false;
  if (kind === 'statement') return ruleWords.test(sentence) && (lasting.test(sentence) || !complaint.test(sentence));
  if (lasting.test(withoutQuestions(sentence))) return true;
  const main = mainClause(sentence);
  if (kind === 'task') return ruleWords.test(main);
  return kind === 'ask' ? isPolite(sentence) && negation.test(main) : negation.test(main) || obligation.test(main);
}

/** Exact details, such as numbers, paths, code, quoted names and names in mixed case. */
const exact =
  /\d|`[^`]+`|["“„][^"”“]+["”“]|[\w-]+\/[\w./-]+|\b\w+\.\w{1,5}\b|\b[a-z]+[A-Z]\w*\b|\b[A-Z][a-z]+[A-Z]\w*\b|\b\w+_\w+\b/u;

/** Returns the statements of a text that contain an exact detail. Omits decisions, questions, requests and mere names. */
export function factSentences(text: string): string[] {
  return splitSentences(text).filter((sentence) => exact.test(sentence) && !isRule(sentence) && isStatement(sentence));
}

/** Returns the first sentence of a text. In most messages, it states the request. */
export function firstSentence(text: string): string {
  return splitSentences(text)[0] ?? '';
}

function splitSentences(text: string): string[] {
  return text
    .replaceAll(/```[\s\S]*?(?:```|$)/g, '\n')
    .split(/\n+|(?<=[!?])\s+|(?<=[.…])\s+(?=[\p{Lu}\p{N}"“„'(-])/u)
    .map((sentence) => cut(sentence.trim()))
    .filter((sentence) => sentence !== '');
}

function cut(sentence: string): string {
  return sentence.length <= longest ? sentence : `${cutHead(sentence, longest).replace(/\s+\S*$/, '')} …`;
}
