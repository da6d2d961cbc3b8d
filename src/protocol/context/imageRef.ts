/** Image formats that every vision model supports. */
export const imageTypes = ['image/png', 'image/jpeg'] as const;
type ImageType = (typeof imageTypes)[number];

/** Stored image, identified by the SHA-256 of its bytes. Width and height are in pixels. */
export interface ImageRef {
  hash: string;
  type: ImageType;
  width: number;
  height: number;
}

export const maxImageBytes = 5 * 1024 * 1024;
/** Number of prompt tokens that the server counts per image when it truncates a prompt (ollama, `server/prompt.go`). */
export const imageTokens = 768;
/** Approximate number of characters of text that use as many tokens as an image. */
export const imageLength = imageTokens * 4;
