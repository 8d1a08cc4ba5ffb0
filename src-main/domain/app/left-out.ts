/** What no build of an app takes, by the names of files and folders. */

// Left out of every build, so nothing in them changes an app. Source: svc_build/_files.py, its patterns that are
// folders.
const FOLDERS =
  /^(\.git|\.svc|\.venv|venv|env|__pycache__|build|dist|tests|docs|node_modules|\.flash|\.build|\.runpod|\.mypy_cache|\.pytest_cache|\.ruff_cache|\.idea|\.vscode|.*\.egg-info)$/
// What editors and systems write beside a file while it is open. Source: vim, Emacs, JetBrains, Kate, macOS.
const PASSING = /^(4913|\.#.*|#.*#|.*~|\..*\.sw[a-z]|.*___jb_(tmp|old)___|\..*\.kate-swp|\.DS_Store|.*\.py[cod])$/

/** Whether a watcher of a project leaves an entry of this name alone, with all below it. */
export function isLeftAlone(name: string): boolean {
  return FOLDERS.test(name) || PASSING.test(name)
}
