/** Project documents for people, with any suffix (`README.de.md`, `LICENSE-MIT.md`). */
const forPeople =
  /^(?:README|CHANGE(?:S|LOG)|HISTORY|NEWS|RELEASE(?:S|_NOTES|-NOTES)?|LICEN[CS]E|COPYING|COPYRIGHT|NOTICES?|THIRD[-_ ]PARTY\w*|CONTRIBUT(?:E|ING|ORS)|AUTHORS|CREDITS|THANKS|MAINTAINERS|OWNERS|GOVERNANCE|SECURITY|SUPPORT|PRIVACY|CODE[-_]OF[-_]CONDUCT|CITATION|ROADMAP|TODO|FAQ|GLOSSARY|INSTALL(?:ATION|ING)?|BUILD(?:ING)?|UPGRAD(?:E|ING)|MIGRAT(?:ION|ING)|DEPLOY(?:MENT|ING)?|ARCHITECTURE|DESIGN|DEVELOP(?:MENT|ING)|HACKING|TESTING|TROUBLESHOOTING|USAGE|API|EXAMPLES?|BENCHMARKS?|STYLE(?:GUIDE)?|VERSIONING|TRANSLAT(?:ION|ING)|INDEX|SUMMARY|ISSUE_TEMPLATE|PULL_REQUEST_TEMPLATE)(?:[._-].*)?\.mdx?$/i;

/**
 * Returns true if a document in the root of a folder may instruct an agent. Agents read files with upper-case names there
 * (`WARP.md`), and new names appear frequently. `path` is a folded path.
 */
export function mayInstructAgents(path: string): boolean {
  return /^[A-Z][A-Z\d_.-]*\.mdx?$/.test(path) && !forPeople.test(path);
}
