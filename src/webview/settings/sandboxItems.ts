import { t } from '../translate';
import type { SettingsItem } from './settingsItem';

/** Returns the settings for the level *Run in the sandbox*. */
export function sandboxItems(): SettingsItem[] {
  const tab = 'agent';
  return [
    {
      tab,
      key: 'agent.sandbox.enabled',
      kind: 'flag',
      title: t('Run commands in the sandbox'),
      effect: t(
        'In new chats, run commands in a sandbox without asking. Critical commands still need your approval. You can change this for each chat.',
      ),
    },
    {
      tab,
      key: 'agent.sandbox.network',
      kind: 'choice',
      title: t('Network in the sandbox'),
      options: [
        { value: 'none', name: t('No network') },
        { value: 'ask', name: t('Ask for each host') },
      ],
      effect: t('Hosts that sandboxed commands can connect to.'),
    },
    {
      tab,
      key: 'agent.sandbox.allowedHosts',
      kind: 'list',
      title: t('Allowed hosts'),
      effect: t('Hosts that sandboxed commands can connect to without asking. Not used if the network is off.'),
    },
    {
      tab,
      key: 'agent.sandbox.writablePaths',
      kind: 'list',
      title: t('Writable paths in the sandbox'),
      effect: t('Absolute paths outside the workspace that sandboxed commands may change. Checkpoints do not cover them.'),
    },
    {
      tab,
      key: 'agent.sandbox.readDenied',
      kind: 'list',
      title: t('Hidden paths in the sandbox'),
      effect: t('Absolute paths that sandboxed commands must not read, in addition to known secrets.'),
    },
  ];
}
