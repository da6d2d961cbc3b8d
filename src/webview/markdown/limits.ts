/** Length in characters after which a block is split at the next suitable line. After twice this length, it is split anywhere. */
export const longest = 16_384;

/** A table over these limits is shown as text. The length of the header includes the line of dashes. */
export const mostColumns = 100;
export const longestTableHead = 4096;

/** Maximum number of characters that definitions add to one block (addresses and titles). */
export const mostFromReferences = 65_536;

/** Maximum length of a rendered formula. A longer formula is shown as source. */
export const longestFormula = 2000;

/** Maximum length of a highlighted line. The highlighter scans a line repeatedly. */
export const longestColouredLine = 1000;
/** Number of characters of code to highlight at once. */
export const colouredAtOnce = 16_384;
