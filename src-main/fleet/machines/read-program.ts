/** A program of resources/python, as it is put into a container of Python alone. */
import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tarArchive } from '../docker/tar-archive.ts'

/** A program in the form in which the engine puts it into a container. */
export type Program = {
  /** What the engine unpacks at RUNTIME_FOLDER of a container. */
  readonly archive: Buffer
  /** Of all that it is made of, hex. */
  readonly hash: string
}

/**
 * Reads a program of ours for that.
 * @param pythonPath folder of this machine that holds it
 * @param name of its package
 */
export async function readProgram(pythonPath: string, name: string): Promise<Program> {
  const folder = join(pythonPath, name)
  const names = (await readdir(folder)).filter((file) => file.endsWith('.py')).toSorted()
  const files = await Promise.all(
    names.map(async (file) => ({
      path: `${name}/${file}`,
      mode: 0o644,
      content: await readFile(join(folder, file)),
    })),
  )
  const hash = createHash('sha256')
  for (const { path, content } of files) hash.update(`${path} ${content.length}\n`).update(content)
  const archive = await tarArchive([{ path: `${name}/`, mode: 0o755 }, ...files])
  return { archive, hash: hash.digest('hex') }
}
