import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import type Docker from 'dockerode'
import type { ContainerSettings } from '../../contract/container.ts'
import type { Watch } from '../port.ts'
import { engineMessage, readMessages, shortened } from './engine-messages.ts'

export type ImageBuild = {
  readonly context: string
  readonly files: readonly string[]
  readonly options: Docker.ImageBuildOptions
  /** A line of output after "building the worker image:"; undefined: not news. */
  readonly progress: (line: string) => string | undefined
  readonly commandFailed?: string
}

const BUILDING = 'building the worker image'
// Reported lines of a failed build; source: ours, so that the reason fits a few terminal lines.
const LAST_LINES = 5
const NO_NEWS = /^ ---> |^Removing intermediate /
const STEP = /^Step \d+\/\d+ : /
const COMMAND_FAILED = /^The command '/

export type Builder = Pick<Docker, 'buildImage'>

export async function buildImage(docker: Builder, build: ImageBuild, { report, signal }: Watch): Promise<void> {
  const lines: string[] = []
  const onLine = (line: string) => {
    const progressText = build.progress(line)
    if (progressText !== undefined) report(`${BUILDING}: ${progressText}`)
    if (STEP.test(line)) lines.length = 0
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

// Package image: Python with an endpoint's packages. Separate from the worker image, so that a new svc_worker
// reinstalls nothing and only this build has a network.

export type WantedPackages = Pick<ContainerSettings, 'packages' | 'systemPackages'>

const DOCKERFILE = 'packages.Dockerfile'
const LISTS = ['packages.list', 'system-packages.list'] as const
/** Characters of the hash in tags. Source: ours, 48 bits. */
export const TAG_HASH_LENGTH = 12
const INSTALL_FAILED =
  'its packages could not be installed. Check their names, and whether containers reach the network'

export function createPackageImage(folder: string) {
  let text: string | undefined
  const dockerfile = () => {
    text ??= readFileSync(join(folder, DOCKERFILE), 'utf8')
    return text
  }

  return {
    id(base: string, wanted: WantedPackages): string | undefined {
      if (wanted.packages.length + wanted.systemPackages.length === 0) return undefined
      const parts = [dockerfile(), base, ...listsOf(wanted)]
      return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, TAG_HASH_LENGTH)
    },
    async build(
      docker: Builder,
      { name, base, ...wanted }: WantedPackages & { readonly name: string; readonly base: string },
      watch: Watch,
    ) {
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

// NUL separates names, so no two lists look alike; sorted, as order does not matter.
function listsOf({ packages, systemPackages }: WantedPackages): readonly string[] {
  return [packages, systemPackages].map((names) =>
    [...new Set(names)]
      .toSorted()
      .map((name) => `${name.replaceAll('\0', '')}\0`)
      .join(''),
  )
}

type Line = { readonly pattern: RegExp; readonly progressText: (name: string, more: string | undefined) => string }

// News in the output of pip and apt-get. Source: pip 23 to 25, apt 2.6.
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

export function installProgress(line: string): string | undefined {
  for (const { pattern, progressText } of LINES) {
    const [, name, more] = pattern.exec(line) ?? []
    if (name !== undefined) return progressText(name, more)
  }
  return undefined
}
