const announcement =
  /\b(?:I(?:['’]ll| will|['’]m going to| am going to| need to| should| have to| must| can now| now| first| call)|let['’]?s|let me|now I|next,? I|first,? I|ich (?:werde|muss|sollte|rufe|lese|sehe|schaue|prüfe|öffne|suche|erstelle|ändere|führe)|lass mich)\b/i;
const explanation =
  /\b(?:show|explain|demonstrate|illustrate|describe|explains?|example|looks? like|zeige?n?|erkläre?n?|beschreibe?n?|Beispiel)\b/i;
const demonstration =
  /(?:\b(?:looks? like(?: this)?|like this|like so|as follows|(?:is|are|be) written(?: as| so)?|for (?:example|instance)|e\.g\.|(?:the|an?|this|its?) (?:syntax|example|format|form)\b.{0,40}|zum Beispiel|z\. ?B\.|so aus|wie folgt)|\b(?:you|one|it|they|models?|who|which|that|we|man|du|Sie) (?:would|could|can|might|may|should|must|will|würden?|könnten?|kann|können|kannst) (?:\w+ )?(?:write|writes|print|emit|output|use|call|say|look|be|see|schreiben|rufen|sagen))\s*[:,]?\s*$/i;

export function announcesCall(before: string): boolean {
  const words = lastSentence(before);
  return announcement.test(words) && !explanation.test(words);
}

/** Tells whether the text before a call presents it as an example. */
export function showsCall(before: string): boolean {
  const words = lastSentence(before);
  return demonstration.test(words) && !(announcement.test(words) && !explanation.test(words));
}

function lastSentence(text: string): string {
  const line = text.trimEnd().split('\n').at(-1) ?? '';
  return line.split(/(?<=[.!?…。！？])\s+/).at(-1) ?? '';
}
