import { t } from '../../translate';
import type { SettingsItem } from '../settingsItem';

export function privacyItems(): SettingsItem[] {
  const tab = 'privacy';
  return [
    {
      tab,
      key: 'privacy.localOnly',
      kind: 'flag',
      title: t('Local connections only'),
      effect: t(
        'Contact only this computer and the allowed addresses. MCP servers, sign-ins, cloud models, remote shared indexes and model servers at other addresses are blocked. Commands that you approve are not restricted.',
      ),
    },
    {
      tab,
      key: 'privacy.allowedAddresses',
      kind: 'list',
      title: t('Allowed addresses'),
      effect: t(
        'Host names or IP addresses, with or without a port, that may be contacted even if only local connections are allowed.',
      ),
    },
    {
      tab,
      key: 'leaves',
      kind: 'part',
      title: t('Data that leaves this computer'),
      effect: t('By default, only requests to your server.'),
    },
    {
      tab,
      key: 'connections',
      kind: 'part',
      title: t('List of connections'),
      effect: t('Connections that the extension opens or accepts, and processes that it starts. The list is kept in memory.'),
    },
    {
      tab,
      key: 'privacy.keepConnections',
      kind: 'flag',
      title: t('Keep connections on disk'),
      effect: t('Keeps the list on this computer for 30 days. When you turn this off, the saved list is deleted.'),
    },
    {
      tab,
      key: 'privacy.keptRequests',
      kind: 'number',
      unit: t('requests'),
      title: t('Kept requests'),
      effect: t(
        'Number of chat requests kept in memory for “Show request”, until the window closes. If 0, no requests are kept.',
      ),
    },
    {
      tab,
      key: 'kept',
      kind: 'part',
      title: t('Where chats are stored'),
      effect: t('Stored in a folder on this computer.'),
    },
    {
      tab,
      key: 'storagePath',
      kind: 'text',
      title: t('Storage folder'),
      effect: t(
        'Absolute path of another folder for chats. Takes effect after you reload the window. Existing chats are not moved.',
      ),
    },
  ];
}
