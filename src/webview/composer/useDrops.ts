import { ref } from 'vue';
import { imagesAmong } from '../common/images/imageFile';
import type { ContextAction } from '../types';
import { droppedUris, hasUris } from './chipText';

/** Attaches dropped items and pasted images. Rejects other files with a reason. Text is inserted as usual. */
export function useDrops(attach: (action: ContextAction) => void) {
  const isOver = ref(false);

  function onDrag(event: DragEvent): void {
    if (event.dataTransfer === null || !(hasUris(event.dataTransfer) || event.dataTransfer.types.includes('Files'))) return;
    event.preventDefault();
    isOver.value = true;
  }

  function onDrop(event: DragEvent): void {
    isOver.value = false;
    if (event.dataTransfer === null) return;
    const uris = hasUris(event.dataTransfer) ? droppedUris(event.dataTransfer) : [];
    const files = uris.length > 0 ? [] : imagesAmong(event.dataTransfer.files);
    if (hasUris(event.dataTransfer) || files.length > 0) event.preventDefault();
    if (uris.length > 0) attach({ kind: 'drop', uris });
    else if (files.length > 0) attach({ kind: 'images', files });
  }

  function onPaste(event: ClipboardEvent): void {
    const files = imagesAmong(event.clipboardData?.files ?? []);
    // Office applications add an image to copied text.
    if (files.length === 0 || event.clipboardData?.types.includes('text/plain') === true) return;
    event.preventDefault();
    attach({ kind: 'images', files });
  }

  return { isOver, onDrag, onDrop, onPaste };
}
