import { inject, type InjectionKey } from 'vue';
import type { HostApi, HostResult } from '../../protocol/hostApi';
import type { MentionItem } from '../../protocol/requests/messageRequests';
import type { Host } from '../common/useHost';

export interface MentionsHandle {
  /** Resolves with nothing where the extension cannot answer. */
  /** Resolves with the prompts of the workspace. */
  prompts: () => Promise<HostResult<'listPrompts'>['prompts']>;
  complete: (kind: Parameters<HostApi['completeMention']>[0]['kind'], query: string) => Promise<readonly MentionItem[]>;
}

export const mentionsKey: InjectionKey<MentionsHandle> = Symbol('mentions');

/** null where there is no extension to ask. */
export function useMentionsHandle(): MentionsHandle | null {
  return inject(mentionsKey, null);
}

/** Asks the extension what mentions may mean. */
export function useMentions(host: Host): MentionsHandle {
  const prompts = async () => (await host.attempt(host.api.listPrompts({})))?.prompts ?? [];
  return {
    prompts,
    complete: async (kind, query) => (await host.attempt(host.api.completeMention({ kind, query })))?.items ?? [],
  };
}
