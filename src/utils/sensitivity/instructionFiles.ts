/** Documents of a project that are for people, whatever stands behind the first word (`README.de.md`, `LICENSE-MIT.md`). */
const forPeople =
  /^(?:README|CHANGE(?:S|LOG)|HISTORY|NEWS|RELEASE(?:S|_NOTES|-NOTES)?|LICEN[CS]E|COPYING|COPYRIGHT|NOTICES?|THIRD[-_ ]PARTY\w*|CONTRIBUT(?:E|ING|ORS)|AUTHORS|CREDITS|THANKS|MAINTAINERS|OWNERS|GOVERNANCE|SECURITY|SUPPORT|PRIVACY|CODE[-_]OF[-_]CONDUCT|CITATION|ROADMAP|TODO|FAQ|GLOSSARY|INSTALL(?:ATION|ING)?|BUILD(?:ING)?|UPGRAD(?:E|ING)|MIGRAT(?:ION|ING)|DEPLOY(?:MENT|ING)?|ARCHITECTURE|DESIGN|DEVELOP(?:MENT|ING)|HACKING|TESTING|TROUBLESHOOTING|USAGE|API|EXAMPLES?|BENCHMARKS?|STYLE(?:GUIDE)?|VERSIONING|TRANSLAT(?:ION|ING)|INDEX|SUMMARY|ISSUE_TEMPLATE|PULL_REQUEST_TEMPLATE)(?:[._-].*)?\.mdx?$/i;

/**
 * Tells whether a document at the root of a folder may instruct an agent: agents read names in capitals there (`WARP.md`), new ones
 * every month. A folded path.
 */
export function maySteerAgents(path: string): boolean {
  return /^[A-Z][A-Z\d_.-]*\.mdx?$/.test(path) && !forPeople.test(path);
}
