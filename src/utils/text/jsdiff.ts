// All parts of the library in use, in one file that the bundles share (webpack.config.js).
export { diffArrays, formatPatch, OMIT_HEADERS, type StructuredPatchHunk } from 'diff';
