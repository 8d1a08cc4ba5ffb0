import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Readable } from 'node:stream'
import { expect, onTestFinished, test } from 'vitest'
import { createWorkerImage } from '../../../../src-main/runtimes/docker/worker-image.ts'
import { silent } from '../../../conformance/process-place.ts'

const RESOURCES = join(import.meta.dirname, '..', '..', '..', '..', 'resources')
const SENT = ['docker/worker', 'python/svc_worker']
const PLANTED = ['.env', '.aws/credentials', 'server.pem', 'id_ed25519', 'notes.txt']

/** Resources with planted files that belong in no image, and the files that each build sends. */
function setup() {
  const resources = mkdtempSync(join(tmpdir(), 'drydock-resources-'))
  onTestFinished(() => rmSync(resources, { recursive: true }))
  for (const folder of SENT) {
    cpSync(join(RESOURCES, folder), join(resources, folder), { recursive: true })
    for (const file of PLANTED) {
      mkdirSync(dirname(join(resources, folder, file)), { recursive: true })
      writeFileSync(join(resources, folder, file), 'planted')
    }
  }
  const sent: string[][] = []
  const docker = {
    buildImage: async (files: string | NodeJS.ReadableStream | { context: string; src: string[] }) => {
      if (typeof files === 'string' || !('src' in files)) throw new Error('a build without a list of files')
      const { context, src } = files
      expect(src.map((file) => readFileSync(join(context, file), 'utf8'))).not.toContain('planted')
      sent.push(src)
      return Readable.from([])
    },
  }
  const image = createWorkerImage({ resources, version: '1', log: silent })
  const watch = { report: () => undefined, signal: new AbortController().signal }
  return { sent, image, docker, watch }
}

test('a build of the worker image sends only its Dockerfile and the modules of the runtime', async () => {
  const { sent, image, docker, watch } = setup()
  await image.build(docker, { packages: [], systemPackages: [] }, watch)
  const modules = readdirSync(join(RESOURCES, 'python/svc_worker')).filter((name) => name.endsWith('.py'))
  expect(sent).toEqual([['docker/worker/Dockerfile', ...modules.toSorted().map((name) => `python/svc_worker/${name}`)]])
})

test('a build of an image of packages sends only its Dockerfile and the lists of packages', async () => {
  const { sent, image, docker, watch } = setup()
  await image.buildPackages(docker, { packages: ['numpy'], systemPackages: [] }, watch)
  expect(sent).toEqual([['packages.Dockerfile', 'packages.list', 'system-packages.list']])
})
