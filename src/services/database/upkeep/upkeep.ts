/** Gathers what few starts need, so that it is loaded only when one does. */
export { backUpBeforeMigration } from './backup';
export { announceClearing, untilCleared } from './clearing';
export { clearStorage, finishClearing } from './clearStorage';
export { migrateOnce } from '../sqlite/migrations';
export { fingerprintOf, setAside } from './setAside';
