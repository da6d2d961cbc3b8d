import { computed, shallowRef, type Ref } from 'vue';
import { attachmentRefSchema, type AttachmentRef } from '../../protocol/entries';
import type { HostResult } from '../../protocol/hostApi';
import { maxAttachments } from '../../protocol/requests/messageRequests';
import { type StateStore, keep, asRecord } from '../hostConnection';
import { t } from '../translate';
import { imageData, isImage } from '../common/images/imageFile';
import { itemKey } from './chipText';
import type { ItemInEditor } from '../../protocol/webviewEvents';
import type { ContextAction } from '../types';
import type { Host } from '../common/useHost';

type Lists = Readonly<Record<string, readonly AttachmentRef[]>>;

/** Stores the attachments of each session's draft across reloads. */
export function useAttachments(host: Host, store: StateStore, sessionId: Ref<string | null>) {
  const lists = shallowRef<Lists>(parse(store.read()));
  const inEditor = shallowRef<readonly ItemInEditor[]>([]);
  const dismissed = shallowRef<ReadonlySet<string>>(parseDismissed(store.read()));
  /** True after the first event about the items in the editor. */
  let isTold = false;
  /** Attachments that are still loading, except files from a file dialog. */
  const pending = new Set<Promise<void>>();
  /** Keys of items without content when they were attached. */
  const empty = shallowRef<ReadonlySet<string>>(new Set());
  /** Number of problems and empty items reported so far. */
  let reports = 0;
  const key = computed(() => sessionId.value ?? '');
  const listOf = (of: string | null): readonly AttachmentRef[] => lists.value[of ?? ''] ?? [];
  const items = computed(() => listOf(sessionId.value));

  const isAttached = (item: AttachmentRef) => items.value.some((other) => itemKey(other) === itemKey(pinned(item)));
  const isDismissed = (item: AttachmentRef) => dismissed.value.has(itemKey(item));
  /** Paths of files whose selection is sent. The selection includes the path, so the open file is not sent as well. */
  const selected = computed(() => {
    const sent = inEditor.value.filter(
      ({ item, isSent }) => item.kind === 'selection' && (isAttached(item) || (isSent && !isDismissed(item))),
    );
    return new Set(sent.map(({ item }) => item.path));
  });
  /** Items of the editor that are not attached. They are sent implicitly or only suggested. */
  const suggestions = computed(() =>
    inEditor.value.filter(
      ({ item }) => !isDismissed(item) && !isAttached(item) && !(item.kind === 'editor' && selected.value.has(item.path)),
    ),
  );
  const implicit = computed(() => suggestions.value.filter(({ isSent }) => isSent).map(({ item }) => item));

  const notice = computed(() => emptyText(items.value.filter((item) => empty.value.has(itemKey(item)))));

  function report(problem: string): void {
    reports += 1;
    host.problem.value = problem;
  }

  function write(of: string, list: readonly AttachmentRef[]): void {
    const others = Object.entries(lists.value).filter(([id]) => id !== of);
    lists.value = Object.fromEntries(list.length === 0 ? others : [...others, [of, list]]);
    keep(store, { attachments: lists.value });
  }

  function add(added: readonly AttachmentRef[], of: string | null = sessionId.value): void {
    const known = new Map([...listOf(of), ...added].map((item) => [itemKey(item), item]));
    if (known.size > maxAttachments) report(t('A message can have at most {0} attachments.', maxAttachments));
    write(of ?? '', [...known.values()].slice(0, maxAttachments));
  }

  /**
   * Adds the result to the chat that requested it, even if another chat is shown now. If the request came
   * from a new chat, adds the result to the shown chat.
   */
  async function addFrom(request: Promise<HostResult<'attachMention'>>): Promise<void> {
    const of = sessionId.value;
    const result = await host.attempt(request);
    if (result === undefined) {
      reports += 1;
      return;
    }
    if (result.isEmpty === true) reports += 1;
    const keys = result.items.map(itemKey);
    const others = [...empty.value].filter((one) => !keys.includes(one));
    empty.value = new Set(result.isEmpty === true ? [...others, ...keys] : others);
    if (result.items.length > 0) add(result.items, of ?? sessionId.value);
    if (result.problems.length > 0) report(result.problems.join(' '));
  }

  async function addImages(files: readonly File[]): Promise<void> {
    const of = sessionId.value;
    for (const file of files) {
      if (!isImage(file)) {
        report(t('{0} is not an image. To attach a file of the workspace, type #file.', file.name));
        continue;
      }
      const data = await imageData(file).catch(() => null);
      if (data === null) {
        report(t('Could not read {0} as an image.', file.name));
        continue;
      }
      const kept = await host.attempt(host.api.keepImage({ name: file.name.slice(-200), data }));
      if (kept === undefined) reports += 1;
      else add([kept.item], of ?? sessionId.value);
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

  /**
   * Resolves when all mentioned, dropped or pasted items are attached or rejected. Resolves to false if a
   * problem was reported that the user has not seen yet.
   */
  async function settled(): Promise<boolean> {
    const before = reports;
    await Promise.all(pending);
    return reports === before;
  }

  /** Checks whether the items without content have content now. */
  async function recheck(): Promise<void> {
    for (const item of items.value.filter((one) => empty.value.has(itemKey(one)))) {
      const result = await host.api.attachMention({ item }).catch(() => null);
      if (result !== null && result.isEmpty !== true)
        empty.value = new Set([...empty.value].filter((one) => one !== itemKey(item)));
    }
  }

  /** Removes the attachments of a session and returns them for sending. */
  function take(of: string | null = sessionId.value): readonly AttachmentRef[] {
    const taken = listOf(of);
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
    // Suggest a dismissed item again when the user returns to it.
    const keys = new Set(shown.map(({ item }) => itemKey(item)));
    keepDismissed([...dismissed.value].filter((one) => keys.has(one)));
  }

  function keepDismissed(keys: readonly string[]): void {
    if (keys.length === 0 && dismissed.value.size === 0) return;
    dismissed.value = new Set(keys);
    keep(store, { dismissed: keys });
  }

  /** Shows the editor's items at startup. Does nothing if an event arrived first. */
  function start({ inEditor: shown }: Pick<HostResult<'ready'>, 'inEditor'>): void {
    if (!isTold) show(shown);
  }

  return { items, listOf, notice, suggestions, implicit, add, act, settled, recheck, take, start };
}

/** Returns a text about items without content. Returns null if all have content. */
function emptyText(items: readonly AttachmentRef[]): string | null {
  const texts = items.flatMap(({ kind }) => {
    if (kind === 'problems') return [t('#problems: no errors or warnings now.')];
    if (kind === 'changes') return [t('#changes: no uncommitted changes now.')];
    return kind === 'terminal' ? [t('#terminal: no command output was recorded yet.')] : [];
  });
  return texts.join(' ') || null;
}

function parseDismissed(state: unknown): ReadonlySet<string> {
  const keys = asRecord(state)['dismissed'];
  return new Set(Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : []);
}

/** Returns the item to pin. For an open editor, this is its file. */
function pinned(item: AttachmentRef): AttachmentRef {
  return item.kind === 'editor' ? { kind: 'file', path: item.path } : item;
}

function parse(state: unknown): Lists {
  return Object.fromEntries(
    Object.entries(asRecord(asRecord(state)['attachments'])).flatMap(([id, list]) => {
      const items = attachmentRefSchema.array().safeParse(list);
      return items.success ? [[id, items.data]] : [];
    }),
  );
}
