/** What few starts need, loaded when one does. */
export { backUpBeforeMigration } from './backup';
export { announceClearing, untilCleared } from './clearing';
export { clearStorage, finishClearing } from './clearStorage';
export { migrateOnce } from '../sqlite/migrations';
export { fingerprintOf, setAside } from './setAside';
