import { inject, type InjectionKey } from 'vue';
import type { ImageRef } from '../../../protocol/context/imageRef';
import type { Host } from '../useHost';

interface ImagesHandle {
  /** Resolves to an address for `img`. Resolves to null if the image is no longer stored. */
  read: (image: ImageRef) => Promise<string | null>;
}

export const imagesKey: InjectionKey<ImagesHandle> = Symbol('images');

/** Returns a handle without images if there is no extension. */
export function useImagesOfView(): ImagesHandle {
  return inject(imagesKey, { read: () => Promise.resolve(null) });
}

/** Maximum total length of cached images, in characters. */
const room = 20_000_000;

/** Reads images from the store and caches the most recent ones. */
export function useImages(host: Host): ImagesHandle {
  const known = new Map<string, string>();

  async function read({ hash, type }: ImageRef): Promise<string | null> {
    const before = known.get(hash);
    if (before !== undefined) return before;
    const data = (await host.attempt(host.api.readImage({ hash })))?.data ?? null;
    if (data === null) return null;
    const url = `data:${type};base64,${data}`;
    known.set(hash, url);
    let length = [...known.values()].reduce((sum, one) => sum + one.length, 0);
    for (const [oldest, one] of known) {
      if (length <= room || oldest === hash) break;
      known.delete(oldest);
      length -= one.length;
    }
    return url;
  }

  return { read };
}
