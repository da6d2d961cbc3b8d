import { computed, shallowRef, type Ref } from 'vue';
import { attachmentRefSchema, type AttachmentRef } from '../../protocol/entries';
import type { HostResult } from '../../protocol/hostApi';
import { maxAttachments } from '../../protocol/requests/messageRequests';
import { type StateStore, keep, recordOf } from '../hostConnection';
import { t } from '../translate';
import { imageData } from '../common/images/imageFile';
import { itemKey } from './chipText';
import type { ItemInEditor } from '../../protocol/webviewEvents';
import type { ContextAction } from '../types';
import type { Host } from '../common/useHost';

type Lists = Readonly<Record<string, readonly AttachmentRef[]>>;

/** Keeps the attachments of the message that is being written, one list per session; they survive a reload of the view. */
export function useAttachments(host: Host, store: StateStore, sessionId: Ref<string | null>) {
  const lists = shallowRef<Lists>(parse(store.read()));
  const inEditor = shallowRef<readonly ItemInEditor[]>([]);
  const dismissed = shallowRef<ReadonlySet<string>>(parseDismissed(store.read()));
  /** True once an event has told what is in the editor since the view came up. */
  let isTold = false;
  /** Attachments that the extension or the view still reads; what the user picks in a dialog is not among them. */
  const pending = new Set<Promise<void>>();
  const key = computed(() => sessionId.value ?? '');
  const items = computed(() => lists.value[key.value] ?? []);

  /** Items in the editor that are not attached: sent while they are shown, or only offered. */
  const suggestions = computed(() =>
    inEditor.value.filter(({ item }) => {
      const key = itemKey(pinned(item));
      return !dismissed.value.has(itemKey(item)) && !items.value.some((other) => itemKey(other) === key);
    }),
  );
  const implicit = computed(() => suggestions.value.filter(({ isSent }) => isSent).map(({ item }) => item));

  function write(of: string, list: readonly AttachmentRef[]): void {
    const others = Object.entries(lists.value).filter(([id]) => id !== of);
    lists.value = Object.fromEntries(list.length === 0 ? others : [...others, [of, list]]);
    keep(store, { attachments: lists.value });
  }

  function add(added: readonly AttachmentRef[], of: string | null = sessionId.value): void {
    const known = new Map([...(lists.value[of ?? ''] ?? []), ...added].map((item) => [itemKey(item), item]));
    if (known.size > maxAttachments) host.problem.value = t('A message can have {0} attachments at most.', maxAttachments);
    write(of ?? '', [...known.values()].slice(0, maxAttachments));
  }

  /** Adds the answer to the chat that asked, whatever is in front by then; an empty chat has become the one in front. */
  async function addFrom(request: Promise<HostResult<'addContext'>>): Promise<void> {
    const of = sessionId.value;
    const result = await host.attempt(request);
    if (result === undefined) return;
    if (result.items.length > 0) add(result.items, of ?? sessionId.value);
    if (result.problems.length > 0) host.problem.value = result.problems.join(' ');
  }

  async function addImages(files: readonly File[]): Promise<void> {
    const of = sessionId.value;
    for (const file of files) {
      const data = await imageData(file).catch(() => null);
      if (data === null) {
        host.problem.value = t('{0} is not an image that can be read.', file.name);
        continue;
      }
      const kept = await host.attempt(host.api.keepImage({ name: file.name.slice(-200), data }));
      if (kept !== undefined) add([kept.item], of ?? sessionId.value);
    }
  }

  function act(action: ContextAction): void {
    switch (action.kind) {
      case 'pick':
        void addFrom(host.api.addContext({}));
        break;
      case 'mention':
        waitFor(addFrom(host.api.attachMention({ item: action.item })));
        break;
      case 'drop':
        waitFor(addFrom(host.api.attachFiles({ uris: action.uris })));
        break;
      case 'images':
        waitFor(addImages(action.files));
        break;
      case 'remove':
        write(
          key.value,
          items.value.filter((item) => itemKey(item) !== itemKey(action.item)),
        );
        break;
      case 'pin':
        add([pinned(action.item)]);
        break;
      case 'dismiss':
        keepDismissed([...dismissed.value, itemKey(action.item)]);
        break;
    }
  }

  function waitFor(adding: Promise<void>): void {
    pending.add(adding);
    void adding.finally(() => pending.delete(adding));
  }

  /** Resolves once everything that was mentioned, dropped or pasted is attached, or was refused. */
  async function settled(): Promise<void> {
    await Promise.all(pending);
  }

  /** Takes the list of the session away, as a message that leaves takes it along. */
  function take(of: string | null = sessionId.value): readonly AttachmentRef[] {
    const taken = lists.value[of ?? ''] ?? [];
    if (taken.length > 0) write(of ?? '', []);
    return taken;
  }

  host.on('attach', ({ items: added }) => add(added));
  host.on('inEditor', ({ items: shown }) => {
    isTold = true;
    show(shown);
  });

  function show(shown: readonly ItemInEditor[]): void {
    inEditor.value = shown;
    // What was left out is offered again when somebody comes back to it.
    const keys = new Set(shown.map(({ item }) => itemKey(item)));
    keepDismissed([...dismissed.value].filter((one) => keys.has(one)));
  }

  function keepDismissed(keys: readonly string[]): void {
    if (keys.length === 0 && dismissed.value.size === 0) return;
    dismissed.value = new Set(keys);
    keep(store, { dismissed: keys });
  }

  /** Shows what was in the editor when the view came up, unless an event has told what is there since. */
  function start({ inEditor: shown }: Pick<HostResult<'ready'>, 'inEditor'>): void {
    if (!isTold) show(shown);
  }

  return { items, suggestions, implicit, add, act, settled, take, start };
}

function parseDismissed(state: unknown): ReadonlySet<string> {
  const keys = recordOf(state)['dismissed'];
  return new Set(Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : []);
}

/** Returns what stays when an item in the editor is pinned: of an open file, the file. */
function pinned(item: AttachmentRef): AttachmentRef {
  return item.kind === 'editor' ? { kind: 'file', path: item.path } : item;
}

function parse(state: unknown): Lists {
  return Object.fromEntries(
    Object.entries(recordOf(recordOf(state)['attachments'])).flatMap(([id, list]) => {
      const items = attachmentRefSchema.array().safeParse(list);
      return items.success ? [[id, items.data]] : [];
    }),
  );
}
