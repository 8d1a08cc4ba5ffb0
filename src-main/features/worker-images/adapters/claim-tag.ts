import { createHash, randomUUID } from 'node:crypto'
import { link, mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { errorCode } from '../../../lib/error-code.ts'
import { isAlive } from '../../../lib/node/is-alive.ts'

/** Of two builds with one tag, the one that ends last would get it. A file in `folder` names the process that builds. */
export async function whileTagIsOwn<Result>(
  { folder, engine = '', tag }: { readonly folder: string; readonly engine?: string | undefined; readonly tag: string },
  work: () => Promise<Result>,
): Promise<Result> {
  await mkdir(folder, { recursive: true })
  const file = join(folder, createHash('sha256').update(`${engine}\n${tag}`).digest('hex'))
  while (!(await isClaimed(file))) {
    const owner = await readFile(file, 'utf8').catch(() => undefined)
    if (owner === undefined) continue // its build has ended
    if (isAlive(Number(owner)))
      throw new Error(`${tag} is already being built by process ${owner}. Wait until it ends, or choose another tag`)
    await rm(file, { force: true })
  }
  try {
    return await work()
  } finally {
    await rm(file, { force: true })
  }
}

async function isClaimed(file: string): Promise<boolean> {
  // Linked, so that the file is never seen without its process.
  const written = `${file}.${randomUUID()}`
  await writeFile(written, String(process.pid))
  try {
    await link(written, file)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw error
  } finally {
    await rm(written)
  }
}
