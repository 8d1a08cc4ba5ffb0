/** Locks, builds and tests images by the commands, so that hashing and packing never hold up the service. */
import { spawn } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { z } from 'zod'
import { END_VARIABLE, PROGRESS_MARK, PROGRESS_VARIABLE } from '../../contract/command-variables.ts'
import { type ImageBuildRequest, type ImageCheck, imageTest } from '../../contract/image-builds.ts'
import { imageConflict, workflowLock } from '../../contract/worker-images.ts'
import { graphHash } from '../../features/worker-images/adapters/hash-model.ts'
import { COMFYUI_NAME } from '../../features/worker-images/rules/comfyui.ts'
import { readLock } from '../../features/worker-images/rules/lock-file.ts'
import { parseJson } from '../../lib/json/parse.ts'
import { plainJson } from '../../lib/json/plain.ts'
import { isObject } from '../../lib/json/value.ts'
import type { ImagePipeline } from '../core.ts'
import { type CommandLine, withoutOwn } from './start-preview.ts'

type Watch = Parameters<ImagePipeline['build']>[1]

const conflicts = z.array(imageConflict)
const locked = z.object({ lock: workflowLock, conflicts })
const refused = z.object({
  error: z.string(),
  conflicts: conflicts.default([]),
  step: z.object({ lastLines: z.array(z.string()) }).optional(),
})
const built = z.object({
  tag: z.string(),
  imageId: z.string(),
  sizeBytes: z.number(),
  steps: z.array(z.object({ title: z.string(), state: z.enum(['cached', 'new']) })),
})

const GRAPH = 'workflow.json'
const LOCK = 'workflow.lock.yaml'
// ms for a command to end by itself, as tests delete their endpoint.
const END_MS = 10_000

export function createImagePipeline({
  commandLine,
  data,
  service,
}: {
  readonly commandLine: CommandLine
  readonly data: string
  readonly service: () => { readonly url: string; readonly key: string }
}): ImagePipeline {
  const parent = join(data, 'images')
  // Graphs and locks of builds that a killed service left.
  rmSync(parent, { recursive: true, force: true })

  async function run(folder: string, args: readonly string[], watch: Watch): Promise<unknown> {
    const { url, key } = service()
    const { program, args: before } = commandLine
    const env = { ...withoutOwn(commandLine.env), [PROGRESS_VARIABLE]: 'lines', [END_VARIABLE]: 'yes' }
    const ran = await runCommand(
      program,
      [...before, ...args, '--json', '--data', data],
      { cwd: folder, env: { ...env, SVC_BASE_URL: url, SVC_API_KEY: key } },
      watch,
    )
    const output = plainJson(ran.stdout)
    if (output !== undefined) return output
    const { success, data: why } = refused.safeParse(plainJson(ran.stderr))
    throw new CommandFailed(success ? why : { error: ran.stderr.trim(), conflicts: [] })
  }

  /** A folder of the data folder, so that no other user reads the graph. */
  async function inFolder<Result>(
    files: Readonly<Record<string, string | undefined>>,
    work: (folder: string) => Promise<Result>,
  ): Promise<Result> {
    await mkdir(parent, { recursive: true, mode: 0o700 })
    const folder = await mkdtemp(join(parent, 'build-'))
    try {
      for (const [name, text] of Object.entries(files))
        if (text !== undefined) await writeFile(join(folder, name), text, { mode: 0o600 })
      return await work(folder)
    } finally {
      await rm(folder, { recursive: true, force: true })
    }
  }

  return {
    lock: ({ text, previous, ...request }, watch) =>
      inFolder({ [GRAPH]: text, [LOCK]: previous }, async (folder) => {
        try {
          const updates = request.update.map((name) => `--update=${name}`)
          const isLocked = updates.length > 0 && previous !== undefined && isLockOf(previous, text)
          const lockWith = async (args: readonly string[]) => locked.parse(await run(folder, args, watch))
          const update = () => lockWith(['workflow', 'lock', LOCK, ...updates])
          const made = isLocked ? await update() : await lockWith(lockArguments(request))
          const { lock, conflicts } = isLocked || updates.length === 0 ? made : await update()
          return { lock, conflicts, text: await readFile(join(folder, LOCK), 'utf8') }
        } catch (error) {
          if (error instanceof CommandFailed && error.conflicts.length > 0)
            return { lock: undefined, text: undefined, conflicts: error.conflicts }
          throw error
        }
      }),
    build: ({ text, lockText, tag, bake }, watch) =>
      inFolder({ [GRAPH]: text, [LOCK]: lockText }, async (folder) => {
        const bakes = bake === 'small' ? [] : [`--bake=${bake}`]
        const { imageId, sizeBytes, steps } = built.parse(
          await run(folder, ['workflow', 'image', LOCK, `--tag=${tag}`, ...bakes], watch),
        )
        return {
          reference: tag,
          id: imageId,
          sizeBytes,
          built: steps.filter(({ state }) => state === 'new').map(({ title }) => title),
          reused: steps.filter(({ state }) => state === 'cached').length,
        }
      }),
    test: ({ text, lockText, image }, watch) =>
      inFolder({ [GRAPH]: text, [LOCK]: lockText }, async (folder) => {
        const { steps } = imageTest.parse(await run(folder, ['test', LOCK, `--image=${image}`, '--pull=never'], watch))
        return steps.map(({ name, passed, text: why }): ImageCheck => ({ name, passed, ...(passed ? {} : { why }) }))
      }),
  }
}

function isLockOf(lockText: string, text: string): boolean {
  try {
    const graph = parseJson(text)
    return isObject(graph) && readLock(lockText).workflow?.sha256 === graphHash(graph)
  } catch {
    // The command that reads them next says what is wrong with them.
    return false
  }
}

class CommandFailed extends Error {
  readonly conflicts: z.infer<typeof conflicts>

  constructor({ error, conflicts, step }: z.infer<typeof refused>) {
    super([error, ...(step?.lastLines ?? [])].join('\n'))
    this.conflicts = conflicts
  }
}

function lockArguments({
  endpoint,
  sources,
  base,
  worker,
}: Pick<ImageBuildRequest, 'endpoint' | 'sources' | 'base' | 'worker'>): readonly string[] {
  const from = endpoint === undefined ? [] : [`--endpoint=${endpoint}`]
  const { image, python } = base
  return [
    ...['workflow', 'lock', GRAPH, '--output', LOCK, ...from],
    ...(image === undefined ? [] : [`--base=${image}`]),
    ...(python === undefined ? [] : [`--python=${python}`]),
    ...(worker === undefined ? [] : [worker === 'local' ? '--local' : '--no-local']),
    ...Object.entries(sources).map(([name, source]) =>
      name === COMFYUI_NAME ? `--comfyui=${source}` : `--nodes=${name}=${source}`,
    ),
  ]
}

async function runCommand(
  program: string,
  args: readonly string[],
  options: { readonly cwd: string; readonly env: Readonly<Record<string, string | undefined>> },
  { report, signal }: Watch,
): Promise<{ readonly stdout: string; readonly stderr: string }> {
  signal.throwIfAborted()
  // Own process group, so that Ctrl+C reaches only the service. Its input closes when the service is killed.
  const child = spawn(program, [...args], { ...options, detached: true, stdio: ['pipe', 'pipe', 'pipe'] })
  child.stdin?.on('error', () => undefined)
  let stdout = ''
  let stderr = ''
  let rest = ''
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text
  })
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    const lines = `${rest}${text}`.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines)
      if (line.startsWith(PROGRESS_MARK)) report(line.slice(PROGRESS_MARK.length))
      else stderr += `${line}\n`
  })
  let killLater: NodeJS.Timeout | undefined
  const end = () => {
    child.kill('SIGTERM')
    killLater = setTimeout(() => child.kill('SIGKILL'), END_MS)
  }
  signal.addEventListener('abort', end, { once: true })
  try {
    await new Promise<void>((resolve, reject) => {
      child.once('error', reject)
      child.once('close', () => resolve())
    })
  } finally {
    clearTimeout(killLater)
    signal.removeEventListener('abort', end)
  }
  signal.throwIfAborted()
  return { stdout, stderr: stderr + rest }
}
