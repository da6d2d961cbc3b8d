/**
 * Built-in ignore rules for checkpoints, in `.gitignore` syntax. They exclude generated files and the histories of other tools.
 * Project rules, `checkpoints.exclude` and Git's index override them.
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

/**
 * Listed folders that may also contain handwritten files. Small text files in these folders are stored. Names are in lower case.
 * See `SmallTextSelector`.
 */
export const writtenFolders: ReadonlySet<string> = new Set([
  '.vscode',
  '.idea',
  'dist',
  '.env',
  'env',
  'coverage',
  'build',
  'out',
  'target',
  'vendor',
  'logs',
]);

/**
 * Names of folders that may contain source files or generated files. They are excluded only at the top of a workspace folder
 * without a repository. See docs/decisions/0019.
 */
export const builtInTopFolders = ['env', 'coverage', 'build', 'out', 'target', 'vendor', 'logs'] as const;
