/** Folder in the storage root with a note for each file that is just being written beside one of a person. */
export const writeNotesFolder = 'unfinished';
