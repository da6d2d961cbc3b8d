const { interfaces, Suite } = require('mocha');

/**
 * Mocha's `bdd` interface, but top-level hooks of a file apply to that file only. Mocha itself runs them around every test of every file,
 * which took a third of the time of all unit tests.
 */
module.exports = (root) => {
  root.on(Suite.constants.EVENT_FILE_PRE_REQUIRE, (context, file, mocha) => {
    const suite = new Suite('', root.ctx);
    root.addSuite(suite);
    // Keeps this suite out of the names of its tests.
    suite.root = true;
    suite.file = file;
    interfaces.bdd(suite);
    suite.emit(Suite.constants.EVENT_FILE_PRE_REQUIRE, context, file, mocha);
  });
};
