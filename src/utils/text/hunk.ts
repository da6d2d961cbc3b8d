/** Lines `beforeStart` to `beforeEnd` (from 0, the end left out) became lines `afterStart` to `afterEnd`. */
export interface Hunk {
  beforeStart: number;
  beforeEnd: number;
  afterStart: number;
  afterEnd: number;
}
