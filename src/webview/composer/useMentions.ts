import { inject, type InjectionKey } from 'vue';
import type { HostApi, HostResult } from '../../protocol/hostApi';
import type { MentionItem } from '../../protocol/requests/messageRequests';
import type { Host } from '../common/useHost';

export interface MentionsHandle {
  /** Resolves to an empty list if the request fails. */
  prompts: () => Promise<HostResult<'listPrompts'>['prompts']>;
  complete: (kind: Parameters<HostApi['completeMention']>[0]['kind'], query: string) => Promise<readonly MentionItem[]>;
}

export const mentionsKey: InjectionKey<MentionsHandle> = Symbol('mentions');

/** Returns null without an extension. */
export function useMentionsHandle(): MentionsHandle | null {
  return inject(mentionsKey, null);
}

export function useMentions(host: Host): MentionsHandle {
  const prompts = async () => (await host.attempt(host.api.listPrompts({})))?.prompts ?? [];
  return {
    prompts,
    complete: async (kind, query) => (await host.attempt(host.api.completeMention({ kind, query })))?.items ?? [],
  };
}
