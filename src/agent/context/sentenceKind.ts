/** Kind of a sentence of the user. `ask` is a request in the form of a question. `explain` asks for an answer, `task` for a change. */
export type SentenceKind = 'question' | 'ask' | 'explain' | 'task' | 'statement';

/** Words before a request, such as "Bitte" or "And now". */
const opening = String.raw`^(?:(?:and|but|now|then|so|ok|okay|please|just|und|aber|jetzt|dann|bitte|mal|doch)[\s,]+)*`;

const endOfWord = String.raw`(?![\p{L}\p{N}_])`;

const starts = (words: string): RegExp => new RegExp(`${opening}(?:${words})${endOfWord}`, 'iu');

const ask = starts(
  String.raw`(?:can|could|would|will) you|(?:kannst|könntest|würdest|magst|willst) du|(?:können|könnten|würden) sie|i(?: want|['’]d like) you to|i need (?:your )?help|ich (?:möchte|will), dass (?:du|sie)|ich brauche (?:deine |ihre )?hilfe`,
);

const explain = starts(
  'explain|show|tell|describe|list|find|look|read|check|open|compare|review|continue|go on|summari[sz]e|debug|inspect|' +
    'erklär(?:e|en sie)?|zeig(?:e|en sie)?|erzähl(?:e|en sie)?|beschreib(?:e|en sie)?|sag(?:e|en sie)?|nenne?|finde|such(?:e|en sie)?|' +
    'lies|lesen sie|prüf(?:e|en sie)?|überprüfe|öffne|schau(?:e|en sie)?|sieh|sehen sie|vergleich(?:e|en sie)?|hilf|fasse',
);

const task = starts(
  'add|fix|make|write|create|change|run|give|let|do|rename|remove|delete|update|test|try|help|implement|refactor|move|set|' +
    'install|replace|convert|generate|extract|put|build|start|stop|sort|translate|increase|reduce|copy|format|clean|' +
    'mach(?:e|en sie)?|füg(?:e|en sie)?|schreib(?:e|en sie)?|änder[en](?: sie)?|gib|geben sie|lösch(?:e|en sie)?|' +
    'benenne|test(?:e|en sie)|setz(?:e|en sie)?|ersetz(?:e|en sie)?|verschieb(?:e|en sie)?|installier(?:e|en sie)|starte|bau(?:e|en sie)?|' +
    'erstell(?:e|en sie)?|entfern(?:e|en sie)?|nimm|lade|sortiere|übersetze|implementier(?:e|en sie)|korrigiere|behebe|' +
    'reparier(?:e|en sie)?|führ(?:e|en sie)?|ergänz(?:e|en sie)?|formatiere|kopiere|passe',
);

/** Question words in front of a verb. A pronoun after the question word begins a clause, as in "What you must never do". */
const questionWord =
  /^(?:(?:and|but|so|und|aber|also)\s+)*(?:what|why|how|where|which|who(?!.*\bmust\b)|when|was|warum|wieso|weshalb|wie|wo|wer(?!.*\b(?:muss|darf|soll)\b)|wann|welche[rsnm]?)(?:['’]s)?\s+(?!(?:you|we|i|du|sie|wir|ich|man|ihr|possible|ever|needed|möglich|immer|auch|gesagt|besprochen|vereinbart|nötig)(?![\p{L}]))[^,:;]*$/iu;
const verbFirst =
  /^(?:is|are|does|did|has|do (?:you|we|i|they)|should (?:i|we|you)|must (?:i|we|it)|ist|sind|hat|gibt es|geht das|kann (?:man|ich)|soll(?:en|te|ten)? (?:ich|wir)|muss (?:ich|das|man)|darf ich|hast du|haben (?:sie|wir))(?![\p{L}])[^,:;]*$/iu;

/** Short question at the end of a statement, as in "Never use tabs, ok?". */
const tag = /,?\s+(?:ok(?:ay)?|right|yes|please|alright|understood|ja|oder|gut|verstanden|klar)\s*\?$/iu;

export function sentenceKind(sentence: string): SentenceKind {
  const text = sentence.replace(tag, '');
  if (ask.test(text)) return 'ask';
  if (text.endsWith('?') || questionWord.test(text) || verbFirst.test(text)) return 'question';
  if (explain.test(text)) return 'explain';
  return task.test(text) ? 'task' : 'statement';
}

const restOfClause = String.raw`(?:(?!\b(?:and|but|und|aber)\b)[^,;:])*`;
const questionClause = new RegExp(
  String.raw`\b(?:why|how|what|whether|if(?! possible)|where|warum|wieso|weshalb|wie|wo|was|wer|ob)\b${restOfClause}`,
  'giu',
);
const relativeClause = new RegExp(
  String.raw`(?:\b(?:that|which|who|dass)\b|,\s*(?:die|der|das|den|dem|deren|dessen|welche[rsnm]?)\b)${restOfClause}`,
  'giu',
);

/** Returns a request without indirect questions, such as "why it never works". */
export function withoutQuestions(sentence: string): string {
  return sentence.replaceAll(questionClause, ' ');
}

/** Returns a request without dependent clauses, such as "why it never works" and "that must be changed". */
export function mainClause(sentence: string): string {
  return withoutQuestions(sentence).replaceAll(relativeClause, ' ');
}

/** Verbs of statements in English. The first word of a statement is its subject. */
const englishVerb =
  /\S\s+(?:is|are|was|were|has|have|had|does|did|will|would|runs?|uses?|listens?|lives?|takes?|needs?|starts|ends|begins|returns|contains?|stores|means?|equals?|expects?|supports?|costs?|lasts?|belongs?|depends?|throws?|fails|crashes|reads|writes|serves|holds|comes?|goes|sits|works?|deploys|ships|hosts|knows|keeps|handles|implements|requires|accepts|allows|creates|sends|gets|gives|loads|saves|moves|moved|provides|opens|closes|owns|inherits|extends|resolves|weighs|connects|stands|stays|exists?|includes?|covers|consists?|became|went|came|got|changed|renamed|chose|picked|called)(?![\w-])|\w['’](?:s|re|m|ve) |\b(?:i|we|you|they|he|she|it)\s+[a-z]{2,}/iu;

/** Verbs of statements in German: frequent verbs, and verb forms after a subject. */
const germanVerb =
  /(?<![\p{L}\p{N}])(?:ist|sind|bin|war|waren|hat|haben|habe|heiß(?:t|e|en)|wird|werden|wurden?|läuft|liegt|lautet|steht|gilt|kommt|endet|beginnt|startet|braucht|nutzt|verwendet|enthält|dauert|kostet|[Ii]ch \p{Ll}+e|(?:[Ww]ir|[Ss]ie|(?:[Dd]ie|[Uu]nsere|[Aa]lle) \p{L}+) \p{Ll}+en)(?![\p{L}\p{N}])/u;
const germanWord =
  /(?<!\p{L})(?:der|die|das|den|dem|ein|eine|er|es|ich|wir|sie|unser\p{Ll}*|mein\p{Ll}*|mit|auf|am|im|unter|für|und)(?!\p{L})/iu;
const thirdPerson =
  /\s(?!(?:mit|seit|nicht|jetzt|gut|dort|oft|fast|sonst|selbst|erst|zuerst|zuletzt|statt|samt|echt|recht|alt)\s)\p{Ll}{2,}t\s/u;

/** A name and its value, such as "Port: 8080". */
const assignment = /^[\p{L}_][\p{L}\p{N} _.-]{0,40}(?:=|:\s)\s*\S/u;

const please = /\b(?:please|bitte)\b/iu;

/** Minimum number of words of a sentence that counts as a statement without a known verb. */
const longStatement = 10;

/** Returns whether a sentence states something: it has a verb or assigns a value, and is not a question or request. */
export function isStatement(sentence: string): boolean {
  if (sentenceKind(sentence) !== 'statement' || please.test(sentence)) return false;
  if (englishVerb.test(sentence) || germanVerb.test(sentence) || assignment.test(sentence)) return true;
  return (germanWord.test(sentence) && thirdPerson.test(sentence)) || sentence.split(/\s+/).length >= longStatement;
}

/** Returns whether a request is polite. */
export function isPolite(sentence: string): boolean {
  return please.test(sentence);
}
