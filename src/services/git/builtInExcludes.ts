/**
 * Rules, in the syntax of a `.gitignore`, for what no checkpoint holds: what tools make again, and the histories of
 * other tools. A rule
 * of the project, `checkpoints.exclude` or git's index overrules them.
 */
export const builtInExcludes = `
# Histories
.git/
.svn/
.hg/
.jj/
.agentsmithy/
chroma_db/

# Python
.venv/
venv/
.env/
__pycache__/
*.pyc
*.pyo
*.pyd
.pytest_cache/
.mypy_cache/
.ruff_cache/
.tox/
.nox/
.coverage
htmlcov/
*.egg-info/
.eggs/
.ipynb_checkpoints/
.hypothesis/
.benchmarks/

# JavaScript
node_modules/
bower_components/
.next/
.nuxt/
.cache/
.parcel-cache/
.output/
.nyc_output/

# Build output
dist/
*.o
*.a
*.so
*.dylib
*.dll
*.exe
*.class
*.jar
*.war

# Editors
.idea/
.vscode/
*.swp
*.swo

# Logs
*.log
npm-debug.log*
yarn-debug.log*

# Systems
.DS_Store
Thumbs.db
desktop.ini
`;

/** Folders of that list in which people write files too: small text files in them are taken, see `SpareTexts`. Lower case. */
export const writtenFolders: ReadonlySet<string> = new Set([
  ...['.vscode', '.idea', 'dist', '.env'],
  ...['env', 'coverage', 'build', 'out', 'target', 'vendor', 'logs'],
]);

/**
 * Names that folders of sources have as well as folders that tools make. They are left out at the top of a workspace folder only, and only
 * where no repository says what is ignored: docs/decisions/0019.
 */
export const builtInTopFolders = ['env', 'coverage', 'build', 'out', 'target', 'vendor', 'logs'] as const;
