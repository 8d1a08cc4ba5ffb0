import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { tarArchive } from '../docker/tar-archive.ts'

export type Program = {
  readonly archive: Buffer
  readonly hash: string
}

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
