/**
 * Phrases that make English hard to read, each with a suggested replacement. They come from texts in this repository that had to be read
 * twice. They match 25 of 24,000 strings in VS Code.
 */
const phrases = [
  ['of (?:its|their) own', 'say "separate", "own …" or leave it out'],
  ['anew', 'use "again" or a verb with re-, as in "rebuilt"'],
  ['at the most(?! \\w)', 'use "at most"'],
  ['by (?:itself|themselves)', 'use "automatically" or "alone"'],
  ['so much of (?:it|them)', 'name the amount'],
  ['nobody|whoever|whosoever', 'name who: "no window", "the user"'],
  ['that (?:is|are|was|were) asked', 'use "the question"'],
  ['(?:is|are|was|were|been) (?:asked|told) (?:of|about)', 'use "asks before" or "reports"'],
  ['(?:is|are|was|were) told', 'use "reported", "notified" or "shown"'],
  ['those (?:of|which|who|it|they)', 'name the thing'],
  [
    '(?<=[\\w,] )what (?:\\w+ ){0,2}(?:is|was|are|were|stands|waits)(?! the\\b| a\\b)',
    'name the thing, as in "the content" for "what is in it"',
  ],
  ['as (?:it|they) (?:stands?|stood|was|were)|stands (?!for\\b|out\\b|alone\\b)', 'use "is", "is shown" or "the current …"'],
  ['go(?:es)? along', 'use "is sent"'],
  ['(?:come|comes|came|coming) back', 'use "is restored" or "returns"'],
  ['(?:bring|brings|brought|bringing|be had) back', 'use "restore"'],
  ['(?:take|takes|took|taken|taking) back', 'use "undo"'],
  ['in (?:its|their) place(?! holder)', 'use "instead"'],
  ['(?:which|some|each|none|several) of (?:them|it)', 'name the thing'],
  ['mend(?:s|ed|ing)?', 'use "fix"'],
  ['nor (?:is|are|was|were|do|does|did|has|have|can)', 'write a sentence with "not"'],
  ['looks? (?:at|round|around)|looked at', 'use "check", "read" or "show"'],
  ['by and by|for good|ere|lest', 'use "gradually", "permanently", "before" or "so that … not"'],
  ['(?:come|comes|came) to (?:its|their|an) end', 'use "finish"'],
  ['to be had|can be had', 'use "is available"'],
  ['(?:let|lets) go of', 'use "release"'],
  ['(?:tells?|told) (?:of|apart)', 'use "reports" or "distinguishes"'],
  ['(?:takes?|taken|took) (?:it |them )?for', 'use "treat as"'],
  ['says? (?:so|that|how|what|which)(?= )', 'use "shows", "states" or "reports"'],
  ['nothing of (?:it|them|this|the)', 'name what is not there'],
  ['such as (?:it|they|are|is|were|was|have|has)', 'name the thing'],
  ['however (?:often|many|much|long)', 'say "any number of …"'],
  ['under way|at work', 'use "running" or "in progress"'],
  ['the while|so long as', 'use "while"'],
  ['suggestions? while typing|gr[ae]y text', 'use "inline suggestion"'],
  ['changes? that waits?|what waits', 'use "pending change"'],
  ['garbage of', 'use "clean up"'],
];
/** Inversions, matched only at the start of a sentence. */
const starts = [
  ['Of (?:a|an|the|what|this|that|these|those|each|several|all)\\b', 'begin with the subject'],
  ['(?:So|Nor|Neither) (?:is|are|do|does|did|was|were|has|have)\\b', 'begin with the subject'],
  ['(?:Whether|What|Where|Who) [^.?!:]*[^.?!:\\w](?:says|stands|decides|tells)\\b', 'begin with the subject'],
];

/** Patterns as `{ expression, advice }`. A space also matches line ends. */
export const patterns = [
  ...phrases.map(([phrase, advice]) => ({ expression: expressionOf(`\\b(?:${phrase})\\b`, 'gi'), advice })),
  ...starts.map(([start, advice]) => ({
    expression: expressionOf(`(?<=^\\s*(?:[-*] |\\d+\\. )?|[.!?:;] )(?:${start})`, 'gm'),
    advice,
  })),
];

function expressionOf(source, flags) {
  return new RegExp(source.replaceAll(/(?<!\[[^\]]*) /g, '\\s+'), flags);
}

/** Returns all matches of the patterns in a text as `{ index, match, advice }`, except those inside an allowed phrase. */
export function tellTales(text, allowed = []) {
  const free = allowed.reduce((rest, phrase) => rest.replaceAll(phrase, (found) => '#'.repeat(found.length)), text);
  return patterns
    .flatMap(({ expression, advice }) =>
      [...free.matchAll(expression)].map(({ index, 0: match }) => ({
        index,
        match: match.replaceAll(/\s+/g, ' ').trim(),
        advice,
      })),
    )
    .sort((one, other) => one.index - other.index);
}
