/** Groups rarely needed code, so that it is loaded only on demand. */
export { backUpBeforeMigration, backUpReplaced } from './backup';
export { announceClearing, untilCleared } from './clearing';
export { clearStorage, finishClearing } from './clearStorage';
export { migrateOnce } from '../sqlite/migrations';
export { createFingerprint, setAside } from './setAside';
