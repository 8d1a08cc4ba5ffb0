/** Builds images: the worker image, and the image of packages underneath it. */
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type Docker from 'dockerode'
import type { ContainerSettings } from '../../contract/container.ts'
import type { Watch } from '../../services/ports/fleet.ts'
import { engineMessage, readMessages, shortened } from './engine-messages.ts'

/** One build of the worker image, or of what is under it. */
export type ImageBuild = {
  /** Folder with the files, and their paths in it. */
  readonly context: string
  readonly files: readonly string[]
  readonly options: Docker.ImageBuildOptions
  /** What a line of output is as text, after "building the worker image:"; undefined where it is no news. */
  readonly progress: (line: string) => string | undefined
  /** Why a command of the build fails, as text; without it the builder's own. */
  readonly commandFailed?: string
}

const BUILDING = 'building the worker image'
// Lines of a failed build that are reported; source: ours, so that the reason still fits some lines of a terminal.
const LAST_LINES = 5
// What the builder says of its own containers and images.
const NO_NEWS = /^ ---> |^Removing intermediate /
const STEP = /^Step \d+\/\d+ : /
const COMMAND_FAILED = /^The command '/

/** Builds an image. Rejects with the last lines of the build, or the reason of the signal. */
export async function buildImage(docker: Docker, build: ImageBuild, { report, signal }: Watch): Promise<void> {
  const lines: string[] = []
  const onLine = (line: string) => {
    const progressText = build.progress(line)
    if (progressText !== undefined) report(`${BUILDING}: ${progressText}`)
    if (STEP.test(line))
      lines.length = 0 // what an earlier step said explains nothing
    else if (!NO_NEWS.test(line)) lines.push(line)
  }
  report(BUILDING)
  try {
    const stream = await docker.buildImage(
      { context: build.context, src: [...build.files] },
      { ...build.options, rm: true, forcerm: true, abortSignal: signal },
    )
    for await (const message of readMessages(stream)) {
      if (message.error !== undefined) throw new Error(shortened(message.error))
      for (const line of linesOf(message.stream)) onLine(line)
    }
  } catch (error) {
    signal.throwIfAborted()
    throw new Error(reasonOf(error, build, lines), { cause: error })
  }
}

// The builder colours what a command says on stderr.
function linesOf(text: string | undefined): readonly string[] {
  return stripVTControlCharacters(text ?? '')
    .split(/[\r\n]+/)
    .filter((line) => line.trim() !== '')
}

function reasonOf(error: unknown, { commandFailed }: ImageBuild, lines: readonly string[]): string {
  const progressText = engineMessage(error)
  const why = commandFailed !== undefined && COMMAND_FAILED.test(progressText) ? commandFailed : progressText
  const last = lines.slice(-LAST_LINES).map(shortened).join('; ')
  const reason = `the worker image could not be built: ${why}`
  return last === '' ? reason : `${reason}. Its last lines: ${last}`
}

// The image under the worker image of an endpoint that wants packages: Python with them installed. It is apart from the
// worker image, so that another svc_worker installs nothing again, and so that only this build has a network.

/** What is installed. */
export type WantedPackages = Pick<ContainerSettings, 'packages' | 'systemPackages'>

/** The image of packages. */
type PackageImage = {
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
/** Characters of a hash that tell the versions of an image apart in its tag. Source: ours, 48 bits. */
export const TAG_HASH_LENGTH = 12
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
      return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, TAG_HASH_LENGTH)
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

type Line = { readonly pattern: RegExp; readonly progressText: (name: string, more: string | undefined) => string }

// Lines of pip and apt-get that are news. Source: pip 23 to 25, apt 2.6; any other line is none.
const LINES: readonly Line[] = [
  { pattern: /^\s*Collecting ([\w.-]+)/, progressText: (name) => `installing ${name}` },
  {
    pattern: /^\s*Downloading (?:\S*\/)?([\w.]+-[^-\s]+)-\S+\.whl \((.+)\)/,
    progressText: (file, size) => `downloading ${file.replace('-', ' ')} (${size})`,
  },
  { pattern: /^\s*Building wheel for ([\w.-]+)/, progressText: (name) => `compiling ${name}` },
  { pattern: /^(Installing) collected packages: /, progressText: () => 'unpacking what was downloaded' },
  {
    pattern: /^Get:\d+ \S+ \S+ \S+ (\S+) \S+ \S+ \[(.+)\]/,
    progressText: (name, size) => `downloading ${name} (${size})`,
  },
  { pattern: /^Setting up ([\w.+-]+)/, progressText: (name) => `installing ${name}` },
]

/** What an installer does, by a line of its output; undefined where the line is no news. */
export function installProgress(line: string): string | undefined {
  for (const { pattern, progressText } of LINES) {
    const [, name, more] = pattern.exec(line) ?? []
    if (name !== undefined) return progressText(name, more)
  }
  return undefined
}
