import { stripVTControlCharacters } from 'node:util'
import type Docker from 'dockerode'
import type { Watch } from '../../services/ports/fleet.ts'
import { readTold } from './engine-stream.ts'
import { engineWords, shortened } from './engine-words.ts'

/** One build of the worker image, or of what is under it. */
export type ImageBuild = {
  /** Folder with the files, and their paths in it. */
  readonly context: string
  readonly files: readonly string[]
  readonly options: Docker.ImageBuildOptions
  /** What a line of output is in words, after "building the worker image:"; undefined where it is no news. */
  readonly progress: (line: string) => string | undefined
  /** Why a command of the build fails, in words; without it the builder's own. */
  readonly commandFailed?: string
}

const BUILDING = 'building the worker image'
// Lines of a failed build that are told; source: ours, so that the reason still fits some lines of a terminal.
const LAST_LINES = 5
// What the builder says of its own containers and images.
const NO_NEWS = /^ ---> |^Removing intermediate /
const STEP = /^Step \d+\/\d+ : /
const COMMAND_FAILED = /^The command '/

/** Builds an image. Rejects with the last lines of the build, or the reason of the signal. */
export async function buildImage(docker: Docker, build: ImageBuild, { tell, signal }: Watch): Promise<void> {
  const lines: string[] = []
  const hear = (line: string) => {
    const words = build.progress(line)
    if (words !== undefined) tell(`${BUILDING}: ${words}`)
    if (STEP.test(line))
      lines.length = 0 // what an earlier step said explains nothing
    else if (!NO_NEWS.test(line)) lines.push(line)
  }
  tell(BUILDING)
  try {
    const stream = await docker.buildImage(
      { context: build.context, src: [...build.files] },
      { ...build.options, rm: true, forcerm: true, abortSignal: signal },
    )
    for await (const told of readTold(stream)) {
      if (told.error !== undefined) throw new Error(shortened(told.error))
      for (const line of linesOf(told.stream)) hear(line)
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
  const words = engineWords(error)
  const why = commandFailed !== undefined && COMMAND_FAILED.test(words) ? commandFailed : words
  const last = lines.slice(-LAST_LINES).map(shortened).join('; ')
  const reason = `the worker image could not be built: ${why}`
  return last === '' ? reason : `${reason}. Its last lines: ${last}`
}
