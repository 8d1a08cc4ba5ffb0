/**
 * The image under the worker image of an endpoint that wants packages: Python with them installed. It is apart from the
 * worker image, so that another svc_worker installs nothing again, and so that only this build has a network.
 */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type Docker from 'dockerode'
import type { ContainerSettings } from '../../contract/container.ts'
import type { Watch } from '../../services/ports/fleet.ts'
import { buildImage } from './build-image.ts'
import { installProgress } from './install-progress.ts'

/** What is installed. */
export type WantedPackages = Pick<ContainerSettings, 'packages' | 'systemPackages'>

/** The image of packages. */
export type PackageImage = {
  /** Hash of all that it is made of; undefined where no package is wanted. @param base image of Python under it */
  readonly id: (base: string, wanted: WantedPackages) => string | undefined
  /** Builds it under this name; the base is there. Rejects with the last lines of the build. */
  readonly build: (
    docker: Docker,
    image: WantedPackages & { readonly name: string; readonly base: string },
    watch: Watch,
  ) => Promise<void>
}

const DOCKERFILE = 'packages.Dockerfile'
const LISTS = ['packages.list', 'system-packages.list'] as const
const HASH_LENGTH = 12
const INSTALL_FAILED =
  'its packages could not be installed. Check their names, and whether containers reach the network'

/** Makes what knows the image. @param folder of this program, with its Dockerfile */
export function createPackageImage(folder: string): PackageImage {
  let text: string | undefined
  const dockerfile = () => {
    text ??= readFileSync(join(folder, DOCKERFILE), 'utf8')
    return text
  }

  return {
    id(base, wanted) {
      if (wanted.packages.length + wanted.systemPackages.length === 0) return undefined
      const parts = [dockerfile(), base, ...listsOf(wanted)]
      return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, HASH_LENGTH)
    },
    async build(docker, { name, base, ...wanted }, watch) {
      const context = await mkdtemp(join(tmpdir(), 'drydock-packages-'))
      try {
        const files = [DOCKERFILE, ...LISTS]
        const contents = [dockerfile(), ...listsOf(wanted)]
        await Promise.all(files.map((file, at) => writeFile(join(context, file), contents[at] ?? '')))
        const options = { t: name, dockerfile: DOCKERFILE, buildargs: { BASE: base } }
        const build = { context, files, options, progress: installProgress, commandFailed: INSTALL_FAILED }
        await buildImage(docker, build, watch)
      } finally {
        await rm(context, { recursive: true, force: true })
      }
    },
  }
}

// Each name ends with NUL, which no name can hold, so none of them can look like two. In one order: it changes nothing.
function listsOf({ packages, systemPackages }: WantedPackages): readonly string[] {
  return [packages, systemPackages].map((names) =>
    [...new Set(names)]
      .toSorted()
      .map((name) => `${name.replaceAll('\0', '')}\0`)
      .join(''),
  )
}
