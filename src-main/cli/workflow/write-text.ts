import { writeFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { CliError } from '../cli-error.ts'
import type { Surroundings } from '../surroundings.ts'

/** Writes a file that somebody named. @throws CliError FILE_UNWRITABLE */
export async function writeText(file: string, text: string, { cwd }: Pick<Surroundings, 'cwd'>): Promise<void> {
  const path = resolve(cwd, file)
  try {
    await writeFile(path, text)
  } catch (error) {
    throw new CliError('FILE_UNWRITABLE', { file: path, why: (error as Error).message }, { cause: error })
  }
}
