/** Folder in the storage root with a note for each active write beside a user's file. */
export const writeNotesFolder = 'unfinished';
