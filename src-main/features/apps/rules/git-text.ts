import type { GitState } from '../../../contract/app.ts'

// Tells the commits of a repository apart; source: git shows 7 at least.
const SHOWN = 8

/** Like `main 1a2b3c4d Mend the parser (with changes that are not committed)`. */
export function gitText({ commit, branch, message, clean }: GitState): string {
  const words = [branch, commit.slice(0, SHOWN), message].filter((word) => word !== undefined && word !== '')
  return `${words.join(' ')}${clean ? '' : ' (with changes that are not committed)'}`
}
