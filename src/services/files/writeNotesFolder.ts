/** Folder in the storage root. It contains a note for each active write next to a user's file. */
export const writeNotesFolder = 'unfinished';
