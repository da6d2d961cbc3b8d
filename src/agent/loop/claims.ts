import type { Entry, EntryOf } from '../../protocol/entries';

/** Work that an answer claims to have done. `written` means that a file was written, `run` that a command was run. */
export type Claim = 'written' | 'run';

const written = String.raw`created|added|written|wrote|updated|changed|modified|edited|fixed|implemented|replaced|renamed|removed|deleted|refactored|moved|applied|saved|corrected|adjusted|inserted|rewritten|rewrote|made (?:the|these|those|all|your) (?:\w+ )?(?:changes?|edits?|updates?|fix\w*)`;
const ran = String.raw`ran|run|executed|tested|installed|built|compiled|committed|started|verified (?:it|this|that|them) by running`;
const geschrieben = String.raw`erstellt|angelegt|hinzugefügt|geschrieben|aktualisiert|geändert|angepasst|behoben|korrigiert|implementiert|ersetzt|umbenannt|entfernt|gelöscht|überarbeitet|verschoben|gespeichert|eingefügt|eingebaut|ergänzt|umgesetzt|vorgenommen|repariert|umgestellt`;
const gelaufen = String.raw`ausgeführt|laufen lassen|gestartet|getestet|installiert|gebaut|kompiliert|durchlaufen lassen`;

/** Words that may be between the subject and the verb of a claim. */
const filling = String.raw`(?:(?:now|also|just|already|successfully|then|therefore|again|gone ahead and|finally) )*`;
const subject = String.raw`\b(?:i|we)(?: have|['’]ve| had)? ${filling}`;
const thing = String.raw`\b(?:the|your|all|these|both|every) (?:[\w./"'${'`'}-]+ ){0,5}?(?:(?:has|have)(?: now)? been|(?:is|are) now|were all) ${filling}`;

const claims: readonly [Claim, RegExp][] = [
  ['written', new RegExp(`${subject}(?:${written})\\b`, 'i')],
  ['written', new RegExp(`${thing}(?:been |now )*(?:${written.replace('wrote|', '')})\\b`, 'i')],
  ['written', /^(?:done|all done|fixed|finished)[.!:,]? (?:the|your|i|all) .*\b(?:now|updated|added|fixed|in place)\b/i],
  ['written', new RegExp(String.raw`^(?:successfully )?(?:${written}) (?:the (?:new )?(?:file )?)?[${'`'}"'](?=[^ ])`, 'i')],
  ['run', new RegExp(`${subject}(?:${ran})\\b`, 'i')],
  [
    'run',
    /\b(?:all )?(?:the )?(?:unit )?(?:tests?|checks?|build|command|script|linter)(?: suite)? (?:now )?(?:pass(?:es|ed)?|ran|succeeded|completed|finished|was executed|were executed|has been run|have been run)\b/i,
  ],
  ['written', new RegExp(String.raw`\b(?:ich|wir) (?:habe|haben)\b.*\b(?:${geschrieben})\b`, 'i')],
  ['written', new RegExp(String.raw`\bhabe ich\b.*\b(?:${geschrieben})\b`, 'i')],
  ['written', new RegExp(String.raw`\b(?:wurden?|ist|sind) (?:[^.,;]{0,60} )?(?:${geschrieben})(?: worden)?[.!]?$`, 'i')],
  ['run', new RegExp(String.raw`\b(?:ich|wir) (?:habe|haben)\b.*\b(?:${gelaufen})\b`, 'i')],
  ['run', new RegExp(String.raw`\bhabe ich\b.*\b(?:${gelaufen})\b`, 'i')],
  [
    'run',
    /\b(?:alle )?(?:die )?(?:tests?|prüfungen|der build|der befehl|das skript) (?:laufen|liefen|lief|sind|ist|wurden?)(?: jetzt| nun)? (?:erfolgreich |fehlerfrei )?(?:durch|durchgelaufen|ausgeführt|grün|erfolgreich)\b/i,
  ],
];

/** Words of sentences that are not claims, such as negations, conditions, plans and questions. */
const notClaimed =
  /\?$|\b(?:not|never|cannot|can't|couldn['’]t|haven['’]t|hasn['’]t|didn['’]t|wasn['’]t|unable|would|could|should|might|may|will|going to|if|once|when|until|unless|after you|before you|you can|you could|let me|suppose|imagine|example|e\.g\.|for instance|earlier|previous(?:ly)?|last time|yesterday|in the past|ago|originally|by default|usually|typically|automatically|in version|every|by the|nicht|nichts|noch|jede[rsnm]?|kein\w*|nie|ohne|wenn|falls|sobald|bevor|würde\w*|könnte\w*|sollte\w*|müsste\w*|werde|wird|werden|kann\w*|muss|vorhin|früher|zuvor|damals|gestern|beispiel|etwa|normalerweise|automatisch|standardmäßig)\b/i;

/** Returns the first sentence that claims that something was written or run, or null if there is none. */
export function claimIn(answer: string): { claim: Claim; sentence: string } | null {
  const prose = answer
    .replaceAll(/(?:^|\n) {0,3}(```|~~~)[\s\S]*?(?:\n {0,3}\1|$)/g, '\n')
    .replaceAll(/^\s*>.*$/gm, '')
    .replaceAll('[TASK_COMPLETE]', '');
  for (const part of prose.split(/\n+|(?<=[.!?])\s+/)) {
    const sentence = part.replace(/^[\s*#•✅✔-]+|\*\*/g, '').trim();
    if (sentence === '' || notClaimed.test(sentence)) continue;
    const found = claims.find(([, pattern]) => pattern.test(sentence));
    if (found) return { claim: found[0], sentence };
  }
  return null;
}

/** Claim that the calls of the turn do not support. */
export interface FalseClaim {
  claim: Claim;
  sentence: string;
  /** Failure that the answer does not mention, if the claim is about a failed command. Null if no call did the work. */
  failure: { exitCode: number | null } | null;
  /** False if the claim is true but hides the failure, such as “I have run it.” */
  isUntrue: boolean;
}

/** Words that report a success, such as in “All tests pass now”. */
const success =
  /\b(?:pass(?:es|ed|ing)?|succe\w+|works?|working|without (?:any )?(?:errors?|problems?)|no errors?|green|fehlerfrei|erfolgreich|grün|bestanden|(?:ohne|keine|keinen) fehler|(?:laufen|liefen|lief) (?:\w+ )*durch|funktionier\w+)/gi;
const failed = /\b(?:fail\w*|errors?|exit code|non-?zero|did(?:n['’]t| not)|timed out|fehl\w*|nicht|abgebrochen)\b/i;

/**
 * Returns the claim of the last answer if no call of the turn did the work, or if the
 * answer hides a failure of the last command. Otherwise returns null. The answer may
 * describe earlier work if the user asks about it. `effectOf` returns the effect of a tool.
 */
export function falseClaim(entries: readonly Entry[], effectOf: (tool: string) => string | undefined): FalseClaim | null {
  const begun = entries.findLastIndex(({ type }) => type === 'user_input');
  const turn = entries.slice(begun + 1);
  const answer = turn.at(-1);
  if (answer?.type !== 'assistant_output' || answer.data.isThinking === true) return null;
  const found = claimIn(answer.content);
  if (found === null) return null;
  const results = turn.flatMap((entry) => (entry.type === 'tool_result' ? [entry.data] : []));
  const last = found.claim === 'run' ? results.findLast(hasRun) : undefined;
  if (last !== undefined && last.status !== 'success') {
    const isUntrue = found.sentence.search(success) >= 0;
    if (!isUntrue && failed.test(answer.content.replaceAll(success, ''))) return null;
    const code = last.details?.['exitCode'];
    return { ...found, failure: { exitCode: typeof code === 'number' ? code : null }, isUntrue };
  }
  const done = results.filter(({ status }) => status === 'success').map(({ name }) => effectOf(name) ?? 'unknown');
  const hasDone =
    last !== undefined ||
    (found.claim === 'written' && turn.some(hasWritten)) ||
    done.some((effect) => effect !== 'none' && (found.claim === 'written' || effect !== 'files'));
  const isAbout = entries[begun]?.content.trim().endsWith('?') === true && entries.slice(0, begun).some(isWork);
  return hasDone || isAbout ? null : { ...found, failure: null, isUntrue: true };
}

/** Returns whether a result belongs to a command that ran, with any outcome. Only these results contain an exit code or `via`. */
function hasRun({ details }: EntryOf<'tool_result'>['data']): boolean {
  return details?.['exitCode'] !== undefined || details?.['via'] !== undefined;
}

/** Returns whether an entry records files that a command changed. A failed command may also change files. */
function hasWritten(entry: Entry): boolean {
  return entry.type === 'checkpoint' && (entry.data.command?.count ?? 0) > 0;
}

function isWork({ type }: Entry): boolean {
  return type === 'file_edit' || type === 'tool_result';
}
