/** Characters after which a block is cut at the next suitable line; after twice as many, anywhere. */
export const longest = 16_384;

/** A table over these limits is shown as text. The head length includes the line of dashes. */
export const mostColumns = 100;
export const longestTableHead = 4096;

/** Most characters of addresses and titles that definitions add to one block. */
export const mostFromReferences = 65_536;

/** Longest rendered formula. A longer one is shown as source. */
export const longestFormula = 2000;

/** Longest highlighted line. The highlighter scans a line repeatedly. */
export const longestColouredLine = 1000;
/** Length of code highlighted at once. */
export const colouredAtOnce = 16_384;
