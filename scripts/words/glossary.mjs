/** Code, addresses, and names of settings and files, which are the same in every language. */
const names = /`[^`]*`|\(command:[^)]*\)|https?:\S+|\$\([\w-]+\)|\{\d+\}|\b\w+(?:[.:_]\w+)+\b/g;

/** Imperatives in the informal form that change their vowel. */
const strong = ['Gib', 'Lies', 'Nimm', 'Sieh', 'Hilf', 'Wirf'];

/** Nouns that look like an informal imperative. */
const nouns = ['frage', 'teile'];

/**
 * Checks German texts against the glossary: if the English text contains a term, the German text must
 * use the German term. No text may contain a rejected word. A word in `meanings` may only translate its
 * English words, so that it is not used for a similar term. Also rejects the informal form of address,
 * English quotation marks and a space before "…". Texts in `toModel` are instructions to the model.
 */
export function germanProblems(texts, { terms, meanings, exceptions, toModel }) {
  const rules = terms.map(({ english, german, never }) => ({
    term: english,
    has: new RegExp(`(?<![\\w-])(?:${english})(?![\\w-])`, /[A-Z]/.test(english) ? 'u' : 'iu'),
    needs: new RegExp(german, 'u'),
    refuses: never === undefined ? undefined : new RegExp(never, 'u'),
  }));
  const uses = meanings.map(({ word, english, meaning }) => ({
    word: new RegExp(word, 'u'),
    of: new RegExp(`\\b(?:${english})\\b`, 'iu'),
    meaning,
  }));
  const familiar = familiarForms(texts.map(({ german }) => german));
  return texts.flatMap(({ english, german }) => {
    if (Object.hasOwn(exceptions, english)) return [];
    const [source, translation] = [english, german].map((text) => text.replaceAll(names, ' '));
    const wrong = rules.flatMap(({ term, has, needs, refuses }) => [
      ...(has.test(source) && !needs.test(translation) ? [`"${term}" is "${needs.source}"`] : []),
      ...(refuses?.test(translation) ? [`not "${refuses.exec(translation)[0]}" (${term})`] : []),
    ]);
    const misused = uses.flatMap(({ word, of, meaning }) => {
      const used = of.test(source) ? null : word.exec(translation);
      return used === null ? [] : [`"${used[0]}" means: ${meaning}`];
    });
    return [
      ...wrong,
      ...misused,
      ...(toModel.includes(english) ? [] : addressProblems(translation, familiar)),
      ...signProblems(german),
    ].map((problem) => `${problem}: ${JSON.stringify(german)}`);
  });
}

/** Returns a pattern for the informal form of every verb that the texts use with "Sie". */
function familiarForms(texts) {
  const verbs = texts.flatMap((text) => [...text.matchAll(/(\p{L}{3,})n Sie\b/gu)].map(([, verb]) => verb.toLowerCase()));
  const forms = [...new Set(verbs)]
    .map((verb) => (verb.endsWith('e') ? verb : `${verb}e`))
    .filter((form) => !nouns.includes(form));
  const started = [...strong, ...forms.map((form) => form[0].toUpperCase() + form.slice(1))].join('|');
  return new RegExp(`(?:^|[.:!?] )(?:${started})(?!\\p{L})|(?:, | und )(?:${forms.join('|')}) `, 'u');
}

function addressProblems(text, familiar) {
  const match = /\b(?:[Dd]u|[Dd]ich|[Dd]ir|[Dd]ein\w*|[Ee]uch|[Ee]ure?)\b/u.exec(text) ?? familiar.exec(text);
  return match === null ? [] : [`"Sie", not "${match[0].trim()}"`];
}

function signProblems(text) {
  return [
    ...(/[”"]|(?<![^\s(])“/u.test(text) ? ['quotes are „ and “'] : []),
    ...(/\S …|\.\.\./u.test(text) ? ['"…" follows the word without a space'] : []),
  ];
}
