import { onMounted, onUnmounted, shallowRef } from 'vue';
import type { IndexStatus } from '../../../protocol/requests/indexRequests';
import { useHost } from '../../common/useHost';

/** Milliseconds between index status requests. */
const lookEveryMs = 2_000;

/** Tracks the workspace index while this part of the page is shown. */
export function useIndexStatus() {
  const host = useHost();
  const status = shallowRef<IndexStatus | null>(null);
  let timer: ReturnType<typeof setTimeout> | undefined;
  let isShown = true;

  async function look(): Promise<void> {
    clearTimeout(timer);
    status.value = (await host.attempt(host.api.readIndex({}))) ?? status.value;
    clearTimeout(timer);
    if (isShown) timer = setTimeout(() => void look(), lookEveryMs);
  }

  async function pause(isPaused: boolean): Promise<void> {
    await host.attempt(host.api.pauseIndex({ isPaused }));
    await look();
  }

  async function rebuild(): Promise<void> {
    await host.attempt(host.api.rebuildIndex({}));
    await look();
  }

  async function remove(): Promise<void> {
    await host.attempt(host.api.deleteIndex({}));
    await look();
  }

  onMounted(look);
  onUnmounted(() => {
    isShown = false;
    clearTimeout(timer);
  });
  return { status, pause, rebuild, remove };
}
