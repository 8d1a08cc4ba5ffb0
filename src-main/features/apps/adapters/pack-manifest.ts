import { createHash } from 'node:crypto'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { pack } from 'tar-stream'
import { MANIFEST_FILE, type Manifest } from '../../../contract/manifest.ts'

export async function packManifest(folder: string, manifest: Manifest) {
  const text = JSON.stringify(manifest)
  const tar = pack()
  tar.entry({ name: MANIFEST_FILE, mtime: new Date(0) }, text)
  tar.finalize()
  const bytes = gzipSync(await buffer(tar))
  const paths = { artifact: join(folder, 'artifact.tar.gz'), manifest: join(folder, MANIFEST_FILE) }
  await Promise.all([writeFile(paths.artifact, bytes), writeFile(paths.manifest, text)])
  return { ...paths, bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') }
}
