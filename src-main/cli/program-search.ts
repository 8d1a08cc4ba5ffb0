/** Where the programs of process workers are found: as in the shell in which the command is typed. */
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { usageError } from './cli-error.ts'
import type { Surroundings } from './surroundings.ts'

/** PATH and VIRTUAL_ENV that are stored with an endpoint. */
export type ProgramSearch = { readonly searchPath?: string; readonly virtualEnv?: string }

/**
 * PATH and VIRTUAL_ENV of this shell, for a command, and for a handler in an active virtual environment. The service
 * may have been started elsewhere, with others.
 */
export function searchOfShell(
  program: { readonly handler?: string; readonly command?: string },
  { env }: Pick<Surroundings, 'env'>,
): ProgramSearch {
  const { PATH, VIRTUAL_ENV } = env
  const isWanted = program.command !== undefined || (program.handler !== undefined && VIRTUAL_ENV)
  if (!isWanted || !PATH) return {}
  return { searchPath: PATH, ...(VIRTUAL_ENV ? { virtualEnv: VIRTUAL_ENV } : {}) }
}

/**
 * The absolute folder of a virtual environment, as a person names it.
 * @throws CliError USAGE if it has no interpreter
 */
export function findVirtualEnv(folder: string, { cwd }: Pick<Surroundings, 'cwd'>): string {
  const found = resolve(cwd, folder)
  if (isProgram(join(found, 'bin', 'python'))) return found
  throw usageError(
    `${found} is not a virtual environment: it has no bin/python. Create it with: python3 -m venv ${folder}`,
  )
}

// The first word where it is a plain one; anything else is for the shell to understand.
const FIRST_WORD = /^\s*(?:'([^']+)'|"([^"$`\\]+)"|([^\s'"$`\\;&|<>()*?~#=]+))(?=\s|$)/

/**
 * Looks for the program of a command line where its workers will.
 * @param searchPath PATH of the workers; undefined: not known here
 * @throws CliError USAGE where it is not there
 */
export function checkProgram(command: string, searchPath: string | undefined, cwd: string): void {
  const [, ...words] = FIRST_WORD.exec(command) ?? []
  const program = words.find((word) => word !== undefined)
  if (program === undefined || searchPath === undefined) return
  const candidates = program.includes('/')
    ? [resolve(cwd, program)]
    : searchPath.split(delimiter).map((folder) => resolve(cwd, folder, program))
  if (candidates.some(isProgram)) return
  const where = program.includes('/') ? `at ${candidates[0]}` : 'on the PATH of this shell'
  throw usageError(
    `There is no program ${program} ${where}. Install it, activate its virtual environment, or give the path of its file.`,
  )
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
