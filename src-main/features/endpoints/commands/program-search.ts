/** Finds the programs of process workers as in the shell that runs the command. */
import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, join, resolve } from 'node:path'
import { usageError } from '../../../app/cli/cli-error.ts'
import type { Surroundings } from '../../../app/cli/surroundings.ts'

export type ProgramSearch = { readonly searchPath?: string; readonly virtualEnv?: string }

export function searchOfShell(
  program: { readonly handler?: string; readonly command?: string },
  { env }: Pick<Surroundings, 'env'>,
): ProgramSearch {
  const { PATH, VIRTUAL_ENV } = env
  const isWanted = program.command !== undefined || (program.handler !== undefined && VIRTUAL_ENV)
  if (!isWanted || !PATH) return {}
  return { searchPath: PATH, ...(VIRTUAL_ENV ? { virtualEnv: VIRTUAL_ENV } : {}) }
}

export function findVirtualEnv(folder: string, { cwd }: Pick<Surroundings, 'cwd'>): string {
  const found = resolve(cwd, folder)
  if (isProgram(join(found, 'bin', 'python'))) return found
  throw usageError(
    `${found} is not a virtual environment: it has no bin/python. Create it with: python3 -m venv ${folder}`,
  )
}

// The first word if it is plain; only the shell understands anything else.
const FIRST_WORD = /^\s*(?:'([^']+)'|"([^"$`\\]+)"|([^\s'"$`\\;&|<>()*?~#=]+))(?=\s|$)/

/**
 * @param searchPath PATH of the workers; undefined: unknown here
 * @throws CliError USAGE if the program is missing
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
