/**
 * Features that help weak models. The extension enables all features. `npm run bench harness`
 * disables single features to measure their effect (docs/weak-models.md).
 */
export interface ModelAids {
  /** Runs calls that a model writes as text. */
  printedCalls: boolean;
  /** Applies edits whose quoted text has copying errors. */
  healing: boolean;
  /** Requests an invalid call again with a schema. */
  callRepair: boolean;
  /** Shows the nearest lines of the file when an edit finds no match. */
  nearestLines: boolean;
  /** Warns a model that repeats itself, and stops it if it continues. */
  loopGuard: boolean;
  /** Challenges a model that claims work without a matching call. */
  claimChallenge: boolean;
}

export const allAids: Readonly<ModelAids> = {
  printedCalls: true,
  healing: true,
  callRepair: true,
  nearestLines: true,
  loopGuard: true,
  claimChallenge: true,
};

/** Features that help with copying errors in edits. */
export type EditAids = Readonly<Pick<ModelAids, 'healing' | 'nearestLines'>>;
