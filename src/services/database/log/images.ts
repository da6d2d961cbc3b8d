import type { EntryInput } from '../../../protocol/entries';
import { maxImageBytes, type ImageRef } from '../../../protocol/context/imageRef';
import { listImages } from '../../../protocol/context/sentImages';
import type { Clock } from '../../../utils/clock';
import { AppError } from '../../../utils/errors';
import { imageHeader } from '../../../utils/imageHeader';
import { phrase, type Phrase } from '../../../utils/l10n';
import type { Connection } from '../sqlite/connection';
import type { Statements } from '../sqlite/sqlite';
import { sha256Hex } from '../../../utils/sha256';

/** Thrown if an image cannot be stored. */
class ImageError extends AppError {
  readonly code = 'cannotAttach';

  constructor(words: Phrase) {
    super(words.english, words);
  }
}

/** Stores each image in the conversations once. An image is deleted together with the last session whose log refers to it. */
export class Images {
  constructor(
    private readonly connection: Connection,
    private readonly clock: Clock,
  ) {}

  /** Stores an image. Throws `AppError` if the data is not an image or is too large. Throws `StorageError`. */
  async keep(bytes: Uint8Array): Promise<ImageRef> {
    const header = imageHeader(bytes);
    if (header === null) throw new ImageError(phrase('Only PNG and JPEG images can be attached.'));
    if (bytes.length > maxImageBytes)
      throw new ImageError(phrase('The image is larger than {0} MB. Attach a smaller image.', maxImageBytes / 1024 / 1024));
    const hash = sha256Hex(bytes);
    await this.connection.write(() => {
      this.connection
        .statement('INSERT OR IGNORE INTO images (hash, type, bytes, created_at) VALUES (?, ?, ?, ?)')
        .run(hash, header.type, bytes, this.clock.now());
    });
    return { hash, ...header };
  }

  /** Reads an image. Returns null if it does not exist. Throws `StorageError`. */
  async read(hash: string): Promise<Uint8Array | null> {
    const row = await this.connection.read(() => this.connection.statement('SELECT bytes FROM images WHERE hash = ?').get(hash));
    return row === undefined ? null : (row['bytes'] as Uint8Array);
  }
}

/** Links the images of an entry to its session. Call it inside the transaction that inserts the entry. */
export function linkImages(statements: Statements, sessionId: string, input: EntryInput): void {
  for (const { hash } of listImages(input))
    statements
      .statement('INSERT OR IGNORE INTO session_images (session_id, image_id) SELECT ?, id FROM images WHERE hash = ?')
      .run(sessionId, hash);
}
