import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { RequestError, type ContentBlock } from '@agentclientprotocol/sdk';
import { maxImageBytes, type ImageRef } from '../../protocol/context/imageRef';
import type { Attachment } from '../../protocol/entries';
import { AppError } from '../../utils/errors';

/** Maximum number of images in a prompt. */
const maxImages = 8;
/** Maximum length of an image in base64, before it is decoded. */
const maxEncoded = Math.ceil(maxImageBytes / 3) * 4;

export interface PromptContent {
  text: string;
  attachments: Attachment[];
}

interface ImageStore {
  /** Stores an image. Throws `AppError` if the data is not an image or is too large. */
  keep(bytes: Uint8Array): Promise<ImageRef>;
}

interface EncodedImage {
  data: string;
  uri: string | null;
}

/**
 * Returns the text and the images of a prompt. The text includes the content of embedded files and the paths of linked
 * files. Stores the images. Rejects with an invalid-parameters error for other content.
 */
export async function readPromptBlocks(blocks: readonly ContentBlock[], images: ImageStore): Promise<PromptContent> {
  const text = blocks.map(readText).join('').trim();
  const encoded = blocks.flatMap((block) => readImage(block) ?? []);
  if (text === '' && encoded.length === 0) throw RequestError.invalidParams(undefined, 'The message is empty');
  if (encoded.length > maxImages)
    throw RequestError.invalidParams(undefined, `A message can have ${maxImages} images. It has ${encoded.length}.`);
  const attachments: Attachment[] = [];
  for (const [index, image] of encoded.entries()) attachments.push(await createAttachment(image, index, images));
  return { text, attachments };
}

function readText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text;
    case 'resource_link':
      return readName(block.uri);
    case 'resource':
      if ('text' in block.resource) return `\n${readName(block.resource.uri)}:\n\`\`\`\`\n${block.resource.text}\n\`\`\`\`\n`;
      // Include the name of a file that is not text, so that the agent can inspect the file.
      return readImage(block) === null ? readName(block.resource.uri) : '';
    case 'image':
      return '';
    case 'audio':
      throw RequestError.invalidParams(undefined, 'Audio is not supported');
  }
}

function readImage(block: ContentBlock): EncodedImage | null {
  if (block.type === 'image') return { data: block.data, uri: block.uri ?? null };
  if (block.type !== 'resource' || !('blob' in block.resource)) return null;
  const { mimeType, blob, uri } = block.resource;
  return mimeType?.startsWith('image/') === true ? { data: blob, uri } : null;
}

async function createAttachment({ data, uri }: EncodedImage, index: number, images: ImageStore): Promise<Attachment> {
  if (data.length > maxEncoded)
    throw RequestError.invalidParams(undefined, `Image ${index + 1} is larger than ${maxImageBytes / 1024 / 1024} MB`);
  try {
    const image = await images.keep(Buffer.from(data, 'base64'));
    const extension = image.type === 'image/png' ? 'png' : 'jpg';
    return { kind: 'image', path: uri === null ? `image-${index + 1}.${extension}` : path.basename(readName(uri)), image };
  } catch (error) {
    if (error instanceof AppError) throw RequestError.invalidParams(undefined, `Image ${index + 1}: ${error.message}`);
    throw error;
  }
}

function readName(uri: string): string {
  try {
    return fileURLToPath(uri);
  } catch {
    // The URI is not a file URI or is from another operating system.
    return uri;
  }
}
