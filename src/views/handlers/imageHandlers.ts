import type { HostApi } from '../../protocol/hostApi';
import type { Images } from '../../services/database/log/images';

type ImageApi = Pick<HostApi, 'keepImage' | 'readImage'>;

export function imageHandlers(images: Pick<Images, 'keep' | 'read'>): ImageApi {
  return {
    keepImage: async ({ name, data }) => {
      const image = await images.keep(Buffer.from(data, 'base64'));
      return { item: { kind: 'image', path: name, image } };
    },
    readImage: async ({ hash }) => {
      const bytes = await images.read(hash);
      return { data: bytes === null ? null : Buffer.from(bytes).toString('base64') };
    },
  };
}
