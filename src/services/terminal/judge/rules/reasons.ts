import { t } from '../../../../utils/l10n';

/** Localized texts of the reasons, by the keys that the rules and the judge use. */
const texts = {
  changesPrograms: () => t('changes which programs run'),
  changesFiles: () => t('changes files'),
  changesInstalled: () => t('changes installed software'),
  changesRemote: () => t('changes data on a server'),
  changesRepository: () => t('changes the repository'),
  changesRights: () => t('changes file permissions'),
  changesSettings: () => t('changes settings for later commands'),
  changesStartup: () => t('changes programs that run automatically'),
  changesSystem: () => t('changes the system'),
  changesUsers: () => t('changes system accounts'),
  deletesContainers: () => t('deletes containers, images or volumes'),
  deletesData: () => t('deletes data'),
  deletesFiles: () => t('deletes files'),
  deletesFolders: () => t('deletes folders and their contents'),
  deletesBroadly: () => t('deletes the whole folder'),
  deletesFound: () => t('deletes all matching files'),
  deletesIgnored: () => t('deletes ignored files, which no checkpoint contains unless the agent changed them'),
  deletesOutside: () => t('deletes outside the workspace'),
  deletesPublished: () => t('deletes published content'),
  deletesRemote: () => t('deletes data on a server'),
  discards: () => t('can discard uncommitted changes'),
  endsPrograms: () => t('stops other programs'),
  hidesCharacters: () => t('contains invisible characters'),
  hidesRuns: () => t('has options that may run other commands'),
  letsIn: () => t('allows access from the network'),
  loosens: () => t('disables a security feature'),
  losesHistory: () => t('can lose commits that nothing else refers to'),
  mountsFolders: () => t('gives a container access to this computer'),
  noParser: () => t('could not be analyzed'),
  openQuote: () => t('has an unclosed quotation mark'),
  otherRepository: () => t('affects another repository'),
  otherSettings: () => t('runs a program with overridden settings'),
  overwritesDisk: () => t('can overwrite a whole disk'),
  overwritesFiles: () => t('empties or overwrites files'),
  overwritesHistory: () => t('overwrites published Git history'),
  publishes: () => t('publishes to a server'),
  publishesCommits: () => t('publishes commits'),
  publishesImage: () => t('publishes an image'),
  publishesPackage: () => t('publishes a package'),
  readsOutside: () => t('reads outside the workspace'),
  readsRepository: () => t('reads the repository'),
  readsSecrets: () => t('reads keys or passwords'),
  runsAdmin: () => t('runs as administrator'),
  runsAnother: () => t('runs another program'),
  runsDownloaded: () => t('runs downloaded code'),
  runsTests: () => t('runs tests'),
  runsFile: () => t('runs a script file'),
  runsInside: () => t('runs another command inside it'),
  runsItself: () => t('starts itself repeatedly'),
  runsOnFound: () => t('runs a command on each search result'),
  runsText: () => t('runs generated code'),
  searchesSecrets: () => t('searches for keys or passwords'),
  sendsData: () => t('sends data over the network'),
  setsClock: () => t('changes the system clock'),
  setsVariables: () => t('sets variables'),
  stopsServices: () => t('stops or changes system services'),
  syntaxFault: () => t('cannot be fully analyzed'),
  tooDeep: () => t('is too deeply nested to analyze'),
  tooLong: () => t('is too long to analyze'),
  turnsOff: () => t('shuts down, restarts or suspends the computer'),
  usesNetwork: () => t('uses the network'),
  wipesData: () => t('deletes a database or all its data'),
} as const;

export type ReasonKey = keyof typeof texts;

export function isReason(key: string): key is ReasonKey {
  return Object.hasOwn(texts, key);
}

export function reasonText(key: ReasonKey): string {
  return texts[key]();
}
