import { onBeforeUnmount, onMounted, ref, type Ref } from 'vue';

export interface ScrollPosition {
  top: number;
  height: number;
  viewport: number;
}

const tolerance = 4;

/**
 * Returns true if the view follows the end. Scrolling up stops following, and reaching the end
 * starts it again. Height changes have no effect.
 */
export function followsEnd(wasFollowing: boolean, before: ScrollPosition, after: ScrollPosition): boolean {
  if (after.height - after.viewport - after.top <= tolerance) return true;
  const isUpByHand = after.top < before.top - 1 && after.height >= before.height && after.viewport <= before.viewport;
  return wasFollowing && !isUpByHand;
}

/** Keeps the end of growing content in view while `isFollowing` is true. */
export function useStickyScroll(scroller: Ref<HTMLElement | null>, content: Ref<HTMLElement | null>) {
  const isFollowing = ref(true);
  let last: ScrollPosition = { top: 0, height: 0, viewport: 0 };
  let observer: ResizeObserver | undefined;

  const read = (element: HTMLElement): ScrollPosition => ({
    top: element.scrollTop,
    height: element.scrollHeight,
    viewport: element.clientHeight,
  });

  function onScroll(): void {
    if (scroller.value === null) return;
    const position = read(scroller.value);
    isFollowing.value = followsEnd(isFollowing.value, last, position);
    last = position;
  }

  /** Stops following when the user scrolls up with the wheel, before the page scrolls. */
  function onWheel(event: WheelEvent): void {
    const element = scroller.value;
    if (event.deltaY < 0 && element !== null && element.scrollTop > 0) isFollowing.value = false;
  }

  function settle(): void {
    const element = scroller.value;
    if (element === null) return;
    if (isFollowing.value) element.scrollTop = element.scrollHeight;
    last = read(element);
  }

  function toEnd(): void {
    isFollowing.value = true;
    settle();
  }

  onMounted(() => {
    settle();
    if (typeof ResizeObserver === 'undefined') return;
    observer = new ResizeObserver(settle);
    if (content.value !== null) observer.observe(content.value);
    if (scroller.value !== null) observer.observe(scroller.value);
  });
  onBeforeUnmount(() => observer?.disconnect());

  return { isFollowing, onScroll, onWheel, toEnd };
}
