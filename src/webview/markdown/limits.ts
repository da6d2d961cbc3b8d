/** A block of this many characters is cut at the next line that begins a thought of its own; twice as many, anywhere. */
export const longest = 16_384;

/** A table of more columns, or with a longer head and line of dashes, is shown as its text. */
export const mostColumns = 100;
export const longestTableHead = 4096;

/** The addresses and titles that definitions put into one block are together no longer. */
export const mostFromReferences = 65_536;

/** A formula that is longer is shown as its source. */
export const longestFormula = 2000;

/** A line of code that is longer is not coloured: the highlighter looks at a line again and again. */
export const longestColouredLine = 1000;
/** Length of code that is coloured in one go. */
export const colouredAtOnce = 16_384;
