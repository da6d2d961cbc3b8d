import { translatable } from '../../types/texts';

/** Code of the notice that replaces an entry whose checksum does not match. */
export const damagedCode = 'damaged';

/** Start of the notice. An empty line and the stored text follow. */
export const damagedNotice = translatable('This entry changed on disk after it was saved. The database now contains:');
