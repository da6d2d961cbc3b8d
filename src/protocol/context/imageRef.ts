/** Formats of images that every model with eyes reads. */
export const imageTypes = ['image/png', 'image/jpeg'] as const;
type ImageType = (typeof imageTypes)[number];

/** An image in the store, by the SHA-256 of its bytes; width and height are pixels. */
export interface ImageRef {
  hash: string;
  type: ImageType;
  width: number;
  height: number;
}

/** Bytes of one image at the most. */
export const maxImageBytes = 5 * 1024 * 1024;
/** Tokens of an image, as the server counts one where it cuts a prompt (ollama, `server/prompt.go`). */
export const imageTokens = 768;
/** Characters of text that take as much room as an image, about. */
export const imageLength = imageTokens * 4;
