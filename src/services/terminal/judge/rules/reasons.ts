import { t } from '../../../../utils/l10n';

/** Gives each reason that a rule names its text for a person; a rule without a reason names none. */
const texts = {
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
  hidesRuns: () => t('has options that may hide what it runs'),
  letsIn: () => t('lets others in from the network'),
  loosens: () => t('turns a protection off'),
  losesHistory: () => t('can lose commits that nothing else names'),
  mountsFolders: () => t('gives a container access to this machine'),
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
  runsText: () => t('runs text as commands'),
  searchesSecrets: () => t('looks for keys or passwords'),
  sendsData: () => t('sends data elsewhere'),
  setsClock: () => t('sets the clock'),
  stopsServices: () => t('stops or changes services of the system'),
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
