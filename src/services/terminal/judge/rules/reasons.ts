import { t } from '../../../../utils/l10n';

/** Gives each reason its text for a person. Rules and the judge name them by key. */
const texts = {
  changesPrograms: () => t('changes which programs run'),
  changesFiles: () => t('changes files'),
  changesInstalled: () => t('changes what is installed'),
  changesRemote: () => t('changes something on a server'),
  changesRepository: () => t('changes the repository'),
  changesRights: () => t('changes who may use files'),
  changesSettings: () => t('changes settings that later commands follow'),
  changesStartup: () => t('changes what runs by itself'),
  changesSystem: () => t('changes the system'),
  changesUsers: () => t('changes accounts of the system'),
  deletesContainers: () => t('deletes containers, images or volumes'),
  deletesData: () => t('deletes data'),
  deletesFiles: () => t('deletes files'),
  deletesFolders: () => t('deletes folders with all that is in them'),
  deletesBroadly: () => t('deletes folders beyond single named ones'),
  deletesFound: () => t('deletes what it finds'),
  deletesOutside: () => t('deletes outside the workspace'),
  deletesPublished: () => t('deletes what is published'),
  deletesRemote: () => t('deletes something on a server'),
  discards: () => t('can discard changes that are not committed'),
  endsPrograms: () => t('ends other programs'),
  hidesCharacters: () => t('contains invisible characters'),
  hidesRuns: () => t('has options that may hide what it runs'),
  letsIn: () => t('lets others in from the network'),
  loosens: () => t('turns a protection off'),
  losesHistory: () => t('can lose commits that nothing else names'),
  mountsFolders: () => t('gives a container access to this machine'),
  noParser: () => t('could not be looked through'),
  openQuote: () => t('has a quote that does not close'),
  otherRepository: () => t('works on another repository'),
  otherSettings: () => t('runs with other settings'),
  overwritesDisk: () => t('can overwrite a whole disk'),
  overwritesFiles: () => t('empties or overwrites files'),
  overwritesHistory: () => t('overwrites published history'),
  publishes: () => t('publishes'),
  publishesCommits: () => t('publishes commits'),
  publishesImage: () => t('publishes an image'),
  publishesPackage: () => t('publishes a package'),
  readsOutside: () => t('reads outside the workspace'),
  readsRepository: () => t('reads the repository'),
  readsSecrets: () => t('reads keys or passwords'),
  runsAdmin: () => t('runs as administrator'),
  runsAnother: () => t('runs another program'),
  runsDownloaded: () => t('runs what it downloads'),
  runsTests: () => t('runs tests'),
  runsInside: () => t('runs another command inside it'),
  runsItself: () => t('starts itself over and over'),
  runsOnFound: () => t('runs a command on what it finds'),
  runsText: () => t('runs text as commands'),
  searchesSecrets: () => t('looks for keys or passwords'),
  sendsData: () => t('sends data elsewhere'),
  setsClock: () => t('sets the clock'),
  setsVariables: () => t('sets variables'),
  stopsServices: () => t('stops or changes services of the system'),
  syntaxFault: () => t('cannot be read as a whole'),
  tooDeep: () => t('is nested too deeply to be looked through'),
  tooLong: () => t('is too long to be looked through'),
  turnsOff: () => t('turns the machine off'),
  usesNetwork: () => t('uses the network'),
  wipesData: () => t('deletes a database or all that is in it'),
} as const;

export type ReasonKey = keyof typeof texts;

export function isReason(key: string): key is ReasonKey {
  return Object.hasOwn(texts, key);
}

/** Returns the text of a reason in the language of the person. */
export function reasonText(key: ReasonKey): string {
  return texts[key]();
}
