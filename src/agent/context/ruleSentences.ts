import { headOf } from '../../types/cutText';
/**
 * Words that express a requirement, prohibition, decision or preference, in English and
 * German. A sentence with such a word remains unchanged. Other sentences may be summarized.
 */
const ruleWords =
  /\b(?:must|mustn['’]t|never|always|don['’]?t|do not|doesn['’]t|shall|should|shouldn['’]t|can['’]?t|cannot|may not|only|no longer|instead of|rather than|prefer|avoid|without|forbid|forbidden|not allowed|required?|ensure|make sure|remember|keep|use|decided|important|muss|müssen|musst|darf|dürfen|nie|niemals|immer|nicht|kein|keine|keinen|keiner|nur|statt|lieber|bevorzug\w*|vermeide\w*|ohne|verboten|erlaubt|wichtig|bitte|soll|sollen|sollte|verwende\w*|benutze\w*|nutze|achte|merke?)\b/iu;

const longest = 400;

/** Returns the sentences of a text that contain such a word, without changes. Very long sentences are cut between words. */
export function ruleSentences(text: string): string[] {
  return sentencesOf(text).filter((sentence) => ruleWords.test(sentence));
}

/** Exact details, such as numbers, paths, code, quoted names and names in mixed case. */
const exact =
  /\d|`[^`]+`|["“„][^"”“]+["”“]|[\w-]+\/[\w./-]+|\b\w+\.\w{1,5}\b|\b[a-z]+[A-Z]\w*\b|\b[A-Z][a-z]+[A-Z]\w*\b|\b\w+_\w+\b/u;

/** Beginnings of requests and questions, as opposed to statements. */
const request =
  /^(?:and |now |then |so |please |could you |can you |would you |und |jetzt |dann |bitte )*(?:tell|add|fix|make|show|explain|write|create|change|run|check|find|look|give|let|go|continue|do|read|open|list|rename|remove|delete|update|describe|compare|test|try|try again|help|implement|refactor|review|what|why|how|where|which|who|is|are|zeig|erkläre?|erzähle?|mach|füge?|schreibe?|ändere|prüfe?|finde|gib|lies|lösche?|benenne|teste?|vergleiche?|was|warum|wie|wo|welche[rsn]?|wer|kannst|könntest)\b/iu;

/** Returns the statements of a text that contain an exact detail. Omits decisions and requests. */
export function factSentences(text: string): string[] {
  return sentencesOf(text).filter(
    (sentence) => exact.test(sentence) && !ruleWords.test(sentence) && !request.test(sentence) && !sentence.endsWith('?'),
  );
}

/** Returns the first sentence of a text. In most messages, it states the request. */
export function firstSentence(text: string): string {
  return sentencesOf(text)[0] ?? '';
}

function sentencesOf(text: string): string[] {
  return text
    .replaceAll(/```[\s\S]*?(?:```|$)/g, '\n')
    .split(/\n+|(?<=[.!?…])\s+(?=[\p{Lu}\p{N}"“„'(-])/u)
    .map((sentence) => cut(sentence.trim()))
    .filter((sentence) => sentence !== '');
}

function cut(sentence: string): string {
  return sentence.length <= longest ? sentence : `${headOf(sentence, longest).replace(/\s+\S*$/, '')} …`;
}
