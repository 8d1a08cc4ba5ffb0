import { mkdir, mkdtemp, readdir, readFile, rename, rm, rmdir, stat, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../../../lib/error-code.ts'
import { DAY_MS } from '../../../lib/units.ts'
import type { BuildFolder } from '../ports/build.ts'
import { makeTextFile } from './write-files.ts'

const STATE_FOLDER = '.svc'
const IGNORED_ALREADY = /^\s*\/?\.svc\/?\s*$/m

// Leftovers of a killed build in .svc: its folder, and files that were not renamed yet.
const BEGUN = /^build-|^\..*\.new$/
/** Older unfinished builds were killed, because no build runs as long. In ms; ours. */
export const ABANDONED_MS = DAY_MS

/**
 * A folder per build keeps parallel builds apart and removes leftovers.
 * @param now ms since the epoch
 */
export async function openBuildFolder(project: string, now: number): Promise<BuildFolder> {
  const state = join(project, STATE_FOLDER)
  await makeState(state)
  await removeAbandoned(state, now)
  const folder = await mkdtemp(join(state, 'build-'))
  const handlers = join(folder, 'handlers')
  await mkdir(handlers)
  return {
    handlers,
    write: (name, text) => writeFile(join(folder, name), text),
    async close(keep) {
      const buildFolder = join(state, 'build')
      await rm(buildFolder, { recursive: true, force: true })
      if (keep) return await rename(folder, buildFolder)
      await rm(folder, { recursive: true, force: true })
      await rmdir(state).catch(() => undefined)
    },
  }
}

// Not its parents: a project that was deleted at this moment would reappear as an empty folder.
async function makeState(state: string): Promise<void> {
  try {
    await mkdir(state)
  } catch (error) {
    if (errorCode(error) !== 'EEXIST') throw error
  }
}

async function removeAbandoned(state: string, now: number): Promise<void> {
  for (const name of (await readdir(state)).filter((entry) => BEGUN.test(entry))) {
    const path = join(state, name)
    const begunAt = (await stat(path).catch(() => undefined))?.mtimeMs ?? now
    if (now - begunAt > ABANDONED_MS) await rm(path, { recursive: true, force: true })
  }
}

export async function writeState(project: string, name: string, text: string): Promise<string> {
  const path = join(project, STATE_FOLDER, name)
  await makeTextFile(path, text)
  return path
}

/**
 * Adds `.svc/` unless already ignored.
 * @returns a function that undoes the change
 */
export async function ignoreState(project: string): Promise<() => Promise<void>> {
  const path = join(project, '.gitignore')
  let text: string | undefined
  try {
    text = await readFile(path, 'utf8')
  } catch (error) {
    if (errorCode(error) !== 'ENOENT') throw error
  }
  if (IGNORED_ALREADY.test(text ?? '')) return async () => undefined
  const before = text
  const separator = before === undefined || before === '' || before.endsWith('\n') ? '' : '\n'
  await makeTextFile(path, `${before ?? ''}${separator}.svc/\n`)
  return () => (before === undefined ? rm(path, { force: true }) : makeTextFile(path, before))
}
