/**
 * Adds the packages of other platforms that npm left out of the lock files. Run it after `npm install NAME` if
 * the check of the lock files asks for it: `node test/architecture/complete-lock-file.ts`.
 */
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { entryOf, type LockFile, missingPackages, PACKAGES } from './lock-file.ts'

for (const folder of PACKAGES) complete(join(import.meta.dirname, '..', '..', folder, 'package-lock.json'))

function complete(path: string): void {
  const lock = JSON.parse(readFileSync(path, 'utf8')) as LockFile
  const added = missingPackages(lock).flatMap((missing) => {
    const entry = entryOf(missing)
    const isDev = (lock.packages[missing.neededBy] as { dev?: boolean } | undefined)?.dev === true
    return entry ? [[`node_modules/${missing.name}`, isDev ? entry : { ...entry, dev: undefined }] as const] : []
  })
  const packages = Object.fromEntries([...Object.entries(lock.packages), ...added].sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(path, `${JSON.stringify({ ...lock, packages }, null, 2)}\n`)
  process.stdout.write(`${added.length} packages added to ${path}\n`)
}
